/** Every field of Query and Mutation with nonsense of the right type: it is refused or answered, never a defect. */
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { publicSchema, schema } from '../../src/graph/schema.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { isPublic } from '../helpers/full-graph.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Timeout in ms for all attempts at one field, on a slow and busy machine. */
const PER_FIELD = 240_000;

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
  await world.make.dataset({ name: 'plausible', tags: [{ name: 'plausible' }], resources: [{ url: 'u' }] });
  for (const make of [world.make.group, world.make.organization]) await make();
});
afterAll(() => world.end());

const cursor = (key: unknown): string => Buffer.from(JSON.stringify(key)).toString('base64url');
const KEYS = ['a', 'a\0b', 1, -1, 1e300, 'x'.repeat(5_000), '', '2020-01-01', 'NaN', '\ud800'];
/** Invalid cursors, and forged ones of one and of two values. */
const CURSORS = [
  '',
  'x',
  'ä',
  ...[null, {}, [], [[]], [null], [{}], 'text', 5].map(cursor),
  ...KEYS.flatMap((a) => [cursor([a]), ...KEYS.map((b) => cursor([a, b]))]),
];

const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  String: [
    '',
    ' ',
    'plausible',
    'x'.repeat(3_000),
    '%',
    "' OR 1=1 --",
    '../..',
    '\\',
    '[',
    '(',
    'é\u202e\u{1f600}',
    '1',
    'true',
    'NaN',
    '2020-13-45',
  ],
  ID: ['', 'plausible', toGlobalId('Dataset', 'a\0b'), toGlobalId('Tag', ''), 'x'.repeat(3_000)],
  Int: [0, -1, 1, 2 ** 31 - 1, -(2 ** 31)],
  Long: [0, -1, Number.MAX_SAFE_INTEGER],
  Float: [0, -1, 1e308],
  Boolean: [true, false],
  DateTime: ['2020-01-01', '0000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '+275760-09-13T00:00:00.000Z'],
  JSON: [
    null,
    0,
    '',
    [],
    {},
    { a: { b: [1, null] } },
    JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
    'x'.repeat(3_000),
  ],
};

let turn = 0;

/** Values to try for a type. Inputs: only the required fields, then each field in turn. */
function valuesOf(type: GraphQLInputType, name: string, depth = 0): unknown[] {
  const inner = getNullableType(type);
  // Lists alternate between one and two items: each value occurs in so many lists that it is tried both ways.
  if (isListType(inner))
    return [[], ...valuesOf(inner.ofType, name, depth).map((value) => ((turn += 1) % 2 ? [value] : [value, value]))];
  if (isEnumType(inner)) return inner.getValues().map((value) => value.name);
  if (isInputObjectType(inner)) {
    if (depth > 2) return [{}];
    const fields = Object.values(inner.getFields());
    const base = Object.fromEntries(
      fields.filter(isRequiredInputField).map((field) => [field.name, plausible(field, depth + 1)]),
    );
    return [
      base,
      ...fields.flatMap((field) =>
        [null, ...valuesOf(field.type, field.name, depth + 1)].map((value) => ({ ...base, [field.name]: value })),
      ),
    ];
  }
  return name === 'after' ? CURSORS : [...(VALUES[inner.name] ?? [])];
}

const plausible = ({ type, name }: GraphQLInputField | GraphQLArgument, depth = 0): unknown => {
  const inner = getNamedType(type);
  return inner.name === 'String'
    ? isListType(getNullableType(type))
      ? ['plausible']
      : 'plausible'
    : valuesOf(type, name, depth)[0];
};

/** Selection set of a field: all fields without arguments, two levels deep. */
function selection(field: GraphQLField<unknown, unknown>, depth = 0): string {
  const type = getNamedType(field.type);
  if (isLeafType(type)) return '';
  if (!isObjectType(type) || depth > 2) return ' { __typename }';
  const fields = Object.values(type.getFields()).filter((it) => it.args.length === 0);
  return ` { __typename ${fields.map((it) => it.name + selection(it, depth + 1)).join(' ')} }`;
}

function operation(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>): string {
  const given = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const passed = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${kind} ${given && `(${given})`} { ${field.name}${passed && `(${passed})`}${selection(field)} }`;
}

async function attempts(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>): Promise<string[]> {
  const query = operation(kind, field);
  const send = isPublic(field.name) ? world.graph : world.full;
  const required = Object.fromEntries(field.args.filter(isRequiredArgument).map((arg) => [arg.name, plausible(arg)]));
  const all = [
    required,
    ...field.args.flatMap((arg) => valuesOf(arg.type, arg.name).map((value) => ({ ...required, [arg.name]: value }))),
  ];
  const bad: string[] = [];
  for (let at = 0; at < all.length; at += 8) {
    await Promise.all(
      all.slice(at, at + 8).map(async (variables) => {
        const { status, text, body } = await send(query, variables, { as: admin });
        const defect =
          status >= 500 ||
          text.includes('INTERNAL_SERVER_ERROR') ||
          (status === 400 &&
            body.errors.some(
              (it: { extensions?: { code: string } }) => it.extensions?.code === 'GRAPHQL_VALIDATION_FAILED',
            ));
        if (defect) bad.push(`${JSON.stringify(variables).slice(0, 300)} → ${status} ${text.slice(0, 500)}`);
      }),
    );
  }
  return bad;
}

/** Fields of the public schema, then the fields that only the full schema has. */
function fieldsOf(root: (of: GraphQLSchema) => GraphQLObjectType | null | undefined): GraphQLField<unknown, unknown>[] {
  const [open, all] = [publicSchema, schema].map((of) => Object.values(root(of)!.getFields()));
  return [...open!, ...all!.filter(({ name }) => !isPublic(name))];
}

describe.each([
  ['query', fieldsOf((one) => one.getQueryType())],
  ['mutation', fieldsOf((one) => one.getMutationType())],
] as const)('%s', (kind, fields) => {
  it.each(fields.map((field) => [field.name, field] as const))(
    '%s',
    async (_name, field) => {
      const bad = await attempts(kind, field);
      if (bad.length > 0)
        throw new Error(`${bad.length} failed\n${operation(kind, field).slice(0, 300)}\n${bad.slice(0, 5).join('\n')}`);
    },
    PER_FIELD,
  );
});
