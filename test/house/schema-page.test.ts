/** docs/schema.md shows the models of prisma/schema.prisma. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { schemaPage } from '../../scripts/schema-page.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { dataModel } from '../helpers/data-model.ts';

it('has an up-to-date docs/schema.md', () => {
  expect(readFileSync(join(projectRoot, 'docs/schema.md'), 'utf8')).toBe(schemaPage(dataModel));
});

it('has every model in a part of docs/schema.md', () => {
  const model = { ...dataModel.models[0], name: 'Unplaced' };
  expect(() => schemaPage({ models: [...dataModel.models, model] })).toThrow('add Unplaced to a part');
});
