import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.json_body': 200_000 });
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
const post = (body: string, headers: Record<string, string> = json) =>
  world.request('/graphql', { method: 'POST', headers, body });

describe('invalid requests', () => {
  it.each([
    ['no JSON', '{', 400],
    ['nothing', '', 400],
    ['a number', '5', 400],
    ['null', 'null', 400],
    ['a query that is a number', '{"query":5}', 400],
    ['variables as text', '{"query":"{ site { siteId } }","variables":"{}"}', 400],
    ['variables as a list', '{"query":"{ site { siteId } }","variables":[]}', 400],
    ['a batch', '[{"query":"{ site { siteId } }"}]', 400],
    ['a syntax error', '{"query":"{ site {"}', 400],
    ['a field that is not', '{"query":"{ nothing }"}', 400],
    ['a prototype', '{"query":"{ site { siteId } }","__proto__":{"query":"x"}}', 200],
    ['a subscription', '{"query":"subscription { site { siteId } }"}', 400],
    ['lone surrogates', '{"query":"{ dataset(name: \\"\\ud800\\") { name } }"}', 400],
    ['a NUL in a literal', '{"query":"{ dataset(name: \\"a\\\\u0000\\") { name } }"}', 400],
    ['a persisted query', '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"00"}}}', 400],
  ])('with %s get the expected status and a text', async (_what, body, status) => {
    const answer = await post(body);
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.any(String) });
    if (status !== 200) expect(answer.body.errors[0].message).toEqual(expect.any(String));
  });

  it('with invalid values of variables are refused', async () => {
    const query = 'query ($id: String!) { dataset(name: $id) { name } }';
    for (const id of ['a\0b', '\ud800', 5, ['x'], { a: 1 }, null]) {
      const answer = await world.graph(query, { id });
      expect({ id, status: answer.status }).toEqual({ id, status: 400 });
    }
    const deep = await post(
      `{"query":${JSON.stringify(query)},"variables":{"id":${'['.repeat(10_000)}${']'.repeat(10_000)}}}`,
    );
    expect(deep.status).toBe(400);
    expect(deep.body.errors[0].extensions.code).toBe('VALIDATION');
  });

  it('with a body that is too long are refused, and the next request is answered', async () => {
    const answer = await post(JSON.stringify({ query: `{ site { siteId } } # ${'x'.repeat(300_000)}` }));
    expect(answer.status).toBe(413);
    expect(answer.body.errors[0]).toEqual({
      message: expect.stringContaining('catalog.limits.json_body'),
      extensions: { code: 'LIMIT' },
    });
    expect((await world.graph('{ site { siteId } }')).status).toBe(200);
  });

  it.each([
    ['many fields', `{ site { ${'siteId '.repeat(3_000)} } }`],
    ['many braces', '{ site '.repeat(1_400)],
    ['many brackets', `{ dataset(name: ${'['.repeat(2_800)}`],
    ['deep nesting', `${'{ a '.repeat(1_400)}${'}'.repeat(1_400)}`],
    ['many directives', `{ site ${'@x '.repeat(900)} { siteId } }`],
    ['deep objects', `{ dataset(name: ${'{a:'.repeat(900)}1${'}'.repeat(900)}) { name } }`],
    ['the same field over and over', `{ ${'site { siteId } '.repeat(700)} }`],
  ])('with %s are refused without a crash', async (_what, query) => {
    const answer = await world.graph(query);
    expect(answer.status).toBe(400);
  });
});

describe('a limit', () => {
  it('is named in the error with the requested amount', async () => {
    const deep = await world.graph(`{ __type(name: "Site") { ${'ofType { '.repeat(25)} name ${'}'.repeat(25)} } }`);
    expect(deep.body.errors[0].message).toBe(
      'The operation is nested 27 levels deep; at most 20 are allowed (catalog.limits.graphql_depth)',
    );
    const dear = await world.graph(
      `{ ${Array.from({ length: 13 }, (_, n) => `a${n}: search { totalCount }`).join(' ')} }`,
    );
    expect(dear.status).toBe(400);
    expect(dear.body.errors[0]).toMatchObject({
      message: expect.stringContaining('catalog.limits.graphql_cost'),
      extensions: { code: 'LIMIT' },
    });
    const wide = await world.graph(`{ ${Array.from({ length: 60 }, (_, n) => `a${n}: site { siteId }`).join(' ')} }`);
    expect(wide.body.errors[0].message).toContain('60 fields of Query; at most 50');
  });
});

describe('an error', () => {
  it('of the catalog has a code, a location and a path', async () => {
    const answer = await world.graph('{ dataset(name: "none") { name } site { siteId } }');
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      data: { dataset: null, site: { siteId: 'default' } },
      errors: [
        {
          message: 'Not found',
          locations: [{ line: 1, column: 3 }],
          path: ['dataset'],
          extensions: { code: 'NOT_FOUND' },
        },
      ],
    });
  });

  it('names its problems', async () => {
    const answer = await world.full('{ resourceSearch(input: { terms: ["name:a"], limit: -1 }) { count } }');
    expect(answer.body.errors[0].extensions).toEqual({
      code: 'VALIDATION',
      problems: [{ path: ['limit'], message: expect.any(String) }],
    });
  });

  it('of a mutation is returned as data', async () => {
    const create =
      'mutation ($input: CreateDatasetInput!) { createDataset(input: $input) { dataset { name } errors { code path message } } }';
    const refused = await world.graph(create, { input: { name: 'A Bad Name' } }, { as: admin });
    expect(refused.body.errors).toBeUndefined();
    expect(refused.body.data.createDataset).toEqual({
      dataset: null,
      errors: [expect.objectContaining({ code: 'VALIDATION', path: ['name'] })],
    });
    const made = await world.graph(create, { input: { name: 'a-good-name' } }, { as: admin });
    expect(made.body.data.createDataset).toEqual({ dataset: { name: 'a-good-name' }, errors: [] });
    const anonymous = await world.graph(create, { input: { name: 'another-name' } });
    expect(anonymous.body.data.createDataset.errors[0].code).toBe('NOT_AUTHORIZED');
  });
});

it('returns the same answer on each run of a query, compiled or not', async () => {
  await world.make.dataset({ name: 'seen-often', title: 'Seen often' });
  const query =
    'query ($id: ID!) { dataset(id: $id) { name title resources { id } tags { name } extras { key } fields modifiedAt } }';
  const answers = [];
  for (let time = 0; time < 5; time++) answers.push((await world.graph(query, { id: 'seen-often' })).text);
  expect(new Set(answers).size).toBe(1);
  expect(JSON.parse(answers[0]!).data.dataset).toMatchObject({
    name: 'seen-often',
    title: 'Seen often',
    fields: {},
  });
});
