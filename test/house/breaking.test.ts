/**
 * No client of the graph breaks unasked: what the schema of the last release has (released/schema.graphql) is still there, but for the
 * changes that released/breaking.json lists by their path, with the reason. A release replaces the one and empties the other.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { projectRoot } from '../../src/kernel/root.ts';

const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8');
const listed: Record<string, string> = JSON.parse(read('test/house/released/breaking.json'));
const changes = async (before: string, after: string) =>
  (await diff(buildSchema(before), buildSchema(after)))
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ path = '', message }) => ({ path, message }));

it('breaks nothing since the last release that is not listed with its reason', async () => {
  const found = await changes(read('test/house/released/schema.graphql'), read('schema.graphql'));
  expect(found.filter(({ path }) => !listed[path])).toEqual([]);
  expect(Object.keys(listed).filter((path) => !found.some((change) => change.path === path))).toEqual([]);
});

it('would notice a field that is gone, and an argument that must be given', async () => {
  const before = 'type Query { a(x: Int): Int b: Int }';
  expect(await changes(before, 'type Query { a(x: Int!): Int }')).toEqual([
    { path: 'Query.b', message: expect.any(String) },
    { path: 'Query.a.x', message: expect.any(String) },
  ]);
});
