/** docs/decisions/0004-dependencies.md has a row for every package that package.json names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
const named = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
  Object.keys(manifest[kind] ?? {}),
);

/** Names in the first column. A trailing `*` matches all names with that prefix. */
const told = read('docs/decisions/0004-dependencies.md')
  .split('\n')
  .filter((line) => /^\| .*`/.test(line))
  .flatMap((line) => [...line.split('|')[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));

const fits = (name: string) => (row: string) => (row.endsWith('*') ? name.startsWith(row.slice(0, -1)) : name === row);

it('gives a reason for every package', () => {
  expect(named.filter((name) => !told.some(fits(name)))).toEqual([]);
});

it('has no reason for a removed package', () => {
  expect(told.filter((row) => !named.some((name) => fits(name)(row)))).toEqual([]);
});
