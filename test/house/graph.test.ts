/** docs/graph.md and docs/graph/ describe every type and root field once, on the page of its feature. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from '@jest/globals';
import { isSpecifiedScalarType } from 'graphql';
import { publicSchema as schema } from '../../src/graph/schema.ts';
import { projectRoot } from '../../src/kernel/root.ts';

/** Files with elements for facades only, which docs/contract.md lists. */
const FACADES_ONLY = ['stamp', 'revise', 'role', 'task'];

const folder = join(projectRoot, 'docs/graph');
const pages = readdirSync(folder).map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
const index = readFileSync(join(projectRoot, 'docs/graph.md'), 'utf8');

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].map((type) => type!);
const names = [
  ...Object.values(schema.getTypeMap())
    .filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type))
    .filter((type) => !roots.some((root) => root.name === type.name))
    .map(({ name }) => name),
  ...roots.flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)),
].sort();

it('describes each type and each root field once', () => {
  const described = pages.flatMap(({ text }) => [...text.matchAll(/^### (\S+)$/gm)].map(([, name]) => name!));
  expect(described.sort()).toEqual(names);
});

it('has a page for each file of schema/, and lists all of its names', () => {
  const features = readdirSync(join(projectRoot, 'schema'))
    .filter((file) => file.endsWith('.graphql'))
    .filter((file) => !FACADES_ONLY.includes(basename(file, '.graphql')));
  expect(pages.map(({ file }) => basename(file, '.md')).sort()).toEqual(
    features.map((file) => basename(file, '.graphql')).sort(),
  );
  expect([...index.matchAll(/\[(\w+(?:\.\w+)?)\]\(graph\/\w+\.md#/g)].map(([, name]) => name!).sort()).toEqual(names);
});
