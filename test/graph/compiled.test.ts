/** Compiled operations answer exactly like the executor of graphql: each case runs four times, the last two compiled if allowed. */

import { makeExecutableSchema } from '@graphql-tools/schema';
import { describe, expect, it } from '@jest/globals';
import { execute, type GraphQLError, getOperationAST, parse, validate } from 'graphql';
import { createGate } from '../../src/graph/admission/admission.ts';
import { measure } from '../../src/graph/admission/cost.ts';
import type { GraphContext } from '../../src/graph/context.ts';
import { isCompilable } from '../../src/graph/execution/compilable.ts';
import { createExecutor } from '../../src/graph/execution/executor.ts';
import { scalars } from '../../src/graph/scalars.ts';
import { settingsForTests } from '../../src/kernel/config.ts';

const later = async <T>(value: T): Promise<T> => {
  await new Promise((resolve) => setTimeout(resolve, 1));
  return value;
};
const thing = (id: string) => ({ id, name: `name of ${id}`, at: new Date(0), any: { a: [1, { b: null }] } });

const schema = makeExecutableSchema({
  typeDefs: `
    scalar DateTime scalar JSON scalar Long scalar _Any
    enum Level { LOW HIGH }
    interface Node { id: ID! }
    type Thing implements Node {
      id: ID! name: String at: DateTime any: JSON self: Thing! parts: [Thing!]! lazy: Thing fails: String mustNotFail: String!
      args(x: Int = 5, level: Level = LOW): String
    }
    type Other implements Node { id: ID! other: Int level: Level }
    union Either = Thing | Other
    input Inner { a: Int = 1 since: DateTime }
    input Plain { a: Int! = 3 list: [String!] inner: Inner level: Level = HIGH one: String any: JSON }
    input Endless { a: Int again: Endless }
    type Query {
      thing: Thing must: Thing! things: [Thing!]! holes: [Thing] nodes: [Node!]! eithers: [Either] node(id: ID!): Node
      echo(plain: Plain, numbers: [Int!], text: String = "x", since: DateTime, level: Level, any: JSON, flag: Boolean, float: Float, id: ID, many: [Plain!], endless: Endless): JSON
      fails: Thing failLate: [Thing] mustFail: Thing! empty: Thing! wrong: Int
    }
    type Mutation { add(by: Int = 1): Sum! fail: Sum! }
    type Sum { now: Int! later: Int! }`,
  resolvers: {
    ...scalars,
    Node: { __resolveType: (it: object) => ('other' in it ? 'Other' : 'Thing') },
    Either: { __resolveType: (it: object) => ('other' in it ? 'Other' : 'Thing') },
    Query: {
      thing: () => later(thing('1')),
      must: () => thing('2'),
      things: async () => [thing('1'), later(thing('2'))],
      holes: () => [thing('1'), null, later(thing('2')), new Error('item')],
      nodes: () => later([thing('1'), { id: 'o', other: 3, level: 'LOW' }, later(thing('2'))]),
      eithers: () => [thing('1'), { id: 'o', other: 3, level: 'NONE' }, null],
      node: (_root, { id }) => (id === 'none' ? null : later(thing(id))),
      echo: (_root, args) => ({
        args: sorted(args),
        dates: [args.since instanceof Date, args.plain?.inner?.since instanceof Date],
      }),
      fails: () => {
        throw new Error('at once');
      },
      failLate: () => Promise.reject(new Error('late')),
      mustFail: async () => {
        throw new Error('must');
      },
      empty: () => null,
      wrong: () => 'text',
    },
    Thing: {
      lazy: (it) => later(thing(`${it.id} lazy`)),
      self: (it) => it,
      parts: (it) => [thing(`${it.id}a`), thing(`${it.id}b`)],
      fails: async () => {
        await later(null);
        throw new Error('field');
      },
      mustNotFail: () => {
        throw new Error('strict');
      },
      args: (_it, args) => JSON.stringify(sorted(args)),
    },
    Mutation: {
      add: async (_root, { by }, context: { sum: number }) => {
        await later(null);
        context.sum += by;
        return { now: context.sum };
      },
      fail: async () => {
        throw new Error('no');
      },
    },
    Sum: { later: (sum) => later(sum.now) },
  },
});

/** Sorts keys: graphql and the compiler build argument objects in different orders. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

type Case = [query: string, variables?: Record<string, unknown>, name?: string];

const COMPILED: Case[] = [
  ['{ thing { id name at any args parts { id lazy { id } } lazy { name self { name } } } }'],
  ['{ thing { a: args(x: null) b: args(level: HIGH) c: args(x: 7) } }'],
  ['query ($x: Int) { thing { args(x: $x) } }', {}],
  ['query ($x: Int) { thing { args(x: $x) } }', { x: null }],
  ['query ($x: Int = 9) { thing { args(x: $x) } }', {}],
  ['query ($x: Int = 9) { thing { args(x: $x) } }', { x: null }],
  ['query ($x: Int) { thing { args(x: $x) } }', { x: 2 ** 31 }],
  ['query ($x: Int) { thing { args(x: $x) } }', { x: 'text' }],
  ['{ things { id fails } }'],
  ['{ things { id mustNotFail } }'],
  ['{ thing { mustNotFail } must { id } }'],
  ['{ must { mustNotFail } }'],
  ['{ holes { id } }'],
  ['{ fails { id } failLate { id } thing { id } }'],
  ['{ mustFail { id } }'],
  ['{ empty { id } }'],
  ['{ wrong }'],
  ['{ nodes { __typename id ... on Thing { name parts { id } } ... on Other { other level } } }'],
  ['{ eithers { __typename ... on Thing { name lazy { id } } ... on Other { other level } } }'],
  ['{ nodes { ...N } } fragment N on Node { id ... on Thing { lazy { id ...T } } } fragment T on Thing { name }'],
  ['{ node(id: "a") { id ... on Thing { at } } none: node(id: "none") { id } }'],
  ...[true, false].flatMap((yes): Case[] => [
    [
      'query ($yes: Boolean!, $no: Boolean = true) { thing { id @include(if: $yes) name @skip(if: $no) parts @include(if: $yes) { id } } }',
      { yes },
    ],
    [
      'query ($yes: Boolean!) { thing { ...F @include(if: $yes) id } nodes { id ... on Thing @skip(if: $yes) { name } } } fragment F on Thing { name lazy { id } }',
      { yes },
    ],
    [
      'query ($yes: Boolean!) { thing { parts @include(if: $yes) { id } parts { name } } x: thing @skip(if: $yes) { id } }',
      { yes },
    ],
  ]),
  ['{ echo }'],
  ['{ echo(text: null, numbers: 3, level: HIGH, flag: true, float: 1, id: 5) }'],
  ['{ echo(since: "2020-01-01") }'],
  ['{ echo(plain: { list: "single", inner: { a: 2, since: "2020-01-01" }, any: { x: [1, { y: "z" }] } }) }'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the compiler must not read it as a template
  ['{ echo(text: "a\\"b`${1 + 1}\\\\ \\u2028 \\n </script>", any: { s: "`${x}`" }) }'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
  ['{ echo(text: """block " `x` ${y} """) }'],
  ...[
    {},
    { a: null },
    { a: 1, zz: 1 },
    { a: 1, list: 's', inner: { since: '2020-01-01' } },
    { a: 1, list: [null] },
    [],
    'text',
    { a: 1, level: 'NONE' },
    { a: 1, inner: { since: 'never' } },
    JSON.parse('{"a":1,"__proto__":{"b":1}}'),
    { a: 1, constructor: 1 },
  ].map((plain): Case => ['query ($plain: Plain) { echo(plain: $plain) }', { plain }]),
  ...[5, [1, null], [1, '2'], [1.5], null].map(
    (numbers): Case => ['query ($numbers: [Int!]) { echo(numbers: $numbers) }', { numbers }],
  ),
  ...[5, ['a'], {}, null].map((text): Case => ['query ($text: String) { echo(text: $text) }', { text }]),
  ['query ($any: JSON) { echo(any: $any) }', { any: { a: { b: [1] } } }],
  ['query ($since: DateTime) { echo(since: $since) }', { since: '2020-01-01' }],
  ['query ($since: DateTime) { echo(since: $since) }', { since: 5 }],
  ['query ($level: Level = HIGH) { echo(level: $level) }', {}],
  ['query ($id: ID!) { node(id: $id) { id } }', {}],
  ['query ($id: ID!) { node(id: $id) { id } }', { id: 5.5 }],
  ['{ thing { constructor: name toString: id } }'],
  ['{ constructor: thing { id } hasOwnProperty: thing { id } }'],
  [
    '{ __schema { types { name kind fields { name type { name ofType { name } } } } } __type(name: "Thing") { fields { args { defaultValue } } } }',
  ],
  ['query A { thing { id } } query B { must { id } }', {}, 'B'],
];

/** Operations that are not compiled, because the result would differ or might. */
const NOT_COMPILED: Case[] = [
  ['{ __proto__: thing { id } }'],
  ['{ thing { __proto__: name id } }'],
  ['query ($n: Int) { echo(plain: { a: 1, inner: { a: $n } }) }', {}],
  ['query ($text: String) { echo(plain: { one: $text }) }', {}],
  ['query ($text: String) { echo(any: { key: $text }) }', { text: 'q' }],
  ['query ($n: Int!) { echo(numbers: [1, $n]) }', { n: 4 }],
  ['query ($since: DateTime = "2020-01-01") { echo(since: $since) }', {}],
  ['query ($plain: Plain = { inner: { since: "2020-01-01" } }) { echo(plain: $plain) }', {}],
  ['query ($endless: Endless) { echo(endless: $endless) }', { endless: { a: 1, again: { a: 2 } } }],
  ['mutation { a: add { now later } b: fail { now } c: add { now later } }'],
  ['mutation { a: add { now later } b: add(by: 2) { later } }'],
];

/** The part of a call that the executor reads. */
const WITHOUT_REPLICAS = { process: { replicas: null } };

const seen = (errors: readonly GraphQLError[] | undefined) => errors?.map((error) => JSON.stringify(error)).sort();

describe.each([
  ['compiled', true, COMPILED],
  ['left to graphql', false, NOT_COMPILED],
] as const)('%s', (_name, compilable, cases) => {
  it.each(cases as Case[])('%s %j', async (query, variables = {}, name) => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const operation = getOperationAST(document, name)!;
    expect(isCompilable(schema, document, operation, measure(schema, document, operation, 1_000))).toBe(compilable);
    const broken: unknown[] = [];
    const run = createExecutor({ schema, onBroken: (thrown) => broken.push(thrown) });
    const gate = createGate(schema, settingsForTests());
    const expected = await execute({
      schema,
      document,
      variableValues: variables,
      operationName: name ?? null,
      contextValue: { sum: 0 },
    });
    for (let time = 1; time <= 4; time++) {
      const context = { sum: 0, call: WITHOUT_REPLICAS } as unknown as GraphContext;
      const admitted = gate.admit({ hash: query, document }, name ?? null, variables);
      const found = await run({ document, name: name ?? null, variables, context, admitted });
      expect({ time, data: JSON.stringify(found.data) }).toEqual({ time, data: JSON.stringify(expected.data) });
      expect({ time, errors: seen(found.errors) }).toEqual({ time, errors: seen(expected.errors) });
    }
    expect(broken).toEqual([]);
  });
});
