/** Every function of a policy has a unit test. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';

const textsOf = (folder: string, ending: string): string[] =>
  readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(join(projectRoot, folder, file), 'utf8'));

it('has a unit test for every function of a policy', () => {
  const asked = new Set(textsOf('test/unit', '.test.ts').join('\n').match(/\w+/g));
  const functions = textsOf('src', '.policy.ts').flatMap((text) =>
    [...text.matchAll(/^export (?:const|function) (\w+)/gm)].map((match) => match[1]!),
  );
  expect(functions.length).toBeGreaterThan(50);
  expect(functions.filter((name) => !asked.has(name))).toEqual([]);
});
