/**
 * Prevents unintended breaking changes of the graph. The schema of the last release (released/schema.graphql) must still be there, except
 * for the changes listed by path in released/breaking.json, with the reason. A release replaces the first file and empties the second.
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

it('lists every breaking change since the last release with its reason', async () => {
  const found = await changes(read('test/house/released/schema.graphql'), read('schema.graphql'));
  expect(found.filter(({ path }) => !listed[path])).toEqual([]);
  expect(Object.keys(listed).filter((path) => !found.some((change) => change.path === path))).toEqual([]);
});

it('detects a removed field and a newly required argument', async () => {
  const before = 'type Query { a(x: Int): Int b: Int }';
  expect(await changes(before, 'type Query { a(x: Int!): Int }')).toEqual([
    { path: 'Query.b', message: expect.any(String) },
    { path: 'Query.a.x', message: expect.any(String) },
  ]);
});
