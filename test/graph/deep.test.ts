/** Documents as deep as the token limit allows get an answer or a clean refusal, never a server error. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MAX_TOKENS } from '../../src/graph/admission/limits.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

const TOO_DEEP = 'Syntax Error: The document is nested too deep.';

/** `inner` within as many levels as fit `times` times, with 20 tokens to spare. `tokens`: number of tokens per level. */
function nested(open: string, inner: string, close: string, tokens: number, times = 1): string {
  const levels = Math.floor((MAX_TOKENS - 20) / tokens / times);
  return open.repeat(levels) + inner + close.repeat(levels);
}

it.each<[string, string, string | null]>([
  ['unknown fields', `{ ${nested('a { ', 'b', ' }', 3)} }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['the same unknown fields twice', `{ ${nested('a { ', 'b', ' }', 3, 2).repeat(2)} }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['fields', `{ datasets(first: 1) { nodes { ${nested('resources { dataset { ', 'id', ' } }', 6)} } } }`, 'LIMIT'],
  ['introspection', `{ __schema { types { ${nested('ofType { ', 'name', ' }', 3)} } } }`, 'LIMIT'],
  ['inline fragments', `{ ${nested('... { ', '__typename', ' }', 3)} }`, null],
  [
    'fragments',
    `{ ...F0 } ${Array.from({ length: 370 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} }`).join(' ')}
     fragment F370 on Query { __typename }`,
    null,
  ],
  ['lists', `{ dataset(id: ${nested('[', '1', ']', 2)}) { id } }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['objects', `{ resourceSearch(input: ${nested('{ a: ', '1', ' }', 4)}) { count } }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['a default', `query ($a: String = ${nested('[', '1', ']', 2)}) { site { siteId } }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['a type', `query ($a: ${nested('[', 'Int', ']', 2)}) { site { siteId } }`, 'GRAPHQL_VALIDATION_FAILED'],
])('nested %s get an answer or a clean refusal', async (_name, query, code) => {
  const { status, body } = await world.graph(query);
  const found = { status, code: body.errors?.[0].extensions.code ?? null };
  expect(found).toEqual({ status: code ? 400 : 200, code });
});

it.each([
  ['lists', '{ dataset(id: ', '['],
  ['a default', 'query ($a: Int = ', '['],
  ['a type', 'query ($a: ', '['],
  ['fields', '', '{ a '],
  ['inline fragments', '', '{ ... '],
])('refuses %s without closing brackets', async (_name, start, level) => {
  const { status, body } = await world.graph(start + level.repeat((MAX_TOKENS - 20) / level.trim().split(' ').length));
  expect({ status, code: body.errors[0].extensions.code }).toEqual({ status: 400, code: 'GRAPHQL_PARSE_FAILED' });
  expect([TOO_DEEP, expect.stringMatching(/^Syntax Error: .*<EOF>/)]).toContainEqual(body.errors[0].message);
});
