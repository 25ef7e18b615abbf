/** docs/errors.md, the graph's ErrorCode, the code and the Action API's table list the same kinds of errors. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { GraphQLEnumType } from 'graphql';
import { toWireError } from '../../facades/action/errors.ts';
import { schema } from '../../src/graph/schema.ts';
import { CatalogError, type ErrorKind } from '../../src/kernel/errors.ts';
import { projectRoot } from '../../src/kernel/root.ts';

/** Exhaustive by type: a new kind does not compile until it is listed. */
const EVERY: Record<ErrorKind, true> = {
  NOT_FOUND: true,
  NOT_AUTHORIZED: true,
  VALIDATION: true,
  CONFLICT: true,
  GONE: true,
  LIMIT: true,
  SEARCH: true,
  UNAVAILABLE: true,
  RATE_LIMIT: true,
};
const kinds = Object.keys(EVERY).sort() as ErrorKind[];

/** Rows of the page's table: kind → status and `__type`. */
const page = new Map(
  readFileSync(join(projectRoot, 'docs/errors.md'), 'utf8')
    .split('\n')
    .map((line) => /^\| `([A-Z_]+)` \| (\d+) \| `([^`]+)` \| \S.*\|$/.exec(line))
    .flatMap((match) => (match ? [[match[1]!, { status: Number(match[2]), type: match[3]! }] as const] : [])),
);

it('lists every kind, and no other', () => expect([...page.keys()].sort()).toEqual(kinds));

it("equals the graph's list", () => {
  const codes = (schema.getType('ErrorCode') as GraphQLEnumType).getValues();
  expect(codes.map((code) => code.name).sort()).toEqual(kinds);
  expect(codes.filter((code) => !code.description)).toEqual([]);
});

it.each(kinds)("documents the Action API's status and type of %s", (kind) => {
  const { status, error } = toWireError(new CatalogError(kind, 'why'));
  expect(page.get(kind)).toEqual({ status, type: error.__type });
});
