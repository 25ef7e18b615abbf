/** Every limit of `/graphql` at its edge: the limit itself is answered, one more is refused before anything runs. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  MAX_ALIASES,
  MAX_DIRECTIVES,
  MAX_LENGTH,
  MAX_ROOT_FIELDS,
  MAX_TOKENS,
} from '../../src/graph/admission/limits.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MAX_DEPTH = 12;
const COST = 2_000;
const NODES = 150;
const PAGE = 60;

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld(
    {
      'catalog.limits.graphql_depth': MAX_DEPTH,
      'catalog.limits.graphql_cost': COST,
      'catalog.limits.graphql_nodes': NODES,
      'catalog.limits.graphql_page': PAGE,
    },
    { counts: true },
  );
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');
const ofType = (levels: number): string => (levels === 0 ? 'name' : `ofType { ${ofType(levels - 1)} }`);

interface Edge {
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}
/** `at` builds an operation that measures exactly `value` against the limit. */
type Row = readonly [name: string, allowed: number, at: (value: number) => string | Edge, setting?: string];

const LIMITS: readonly Row[] = [
  ['length', MAX_LENGTH, (value) => '{ __typename } #'.padEnd(value, 'x')],
  [
    'tokens',
    MAX_TOKENS,
    (value) =>
      `query ($v: [String!] = [${times(value - 33, () => '"a"')}]) { __typename tags(words: $v) @skip(if: true) { totalCount } }`,
  ],
  ['aliases', MAX_ALIASES, (value) => `{ site { ${times(value, (n) => `a${n}: siteId`)} } }`],
  [
    'aliases',
    MAX_ALIASES,
    (value) => `{ ...F site { siteId } } fragment F on Query { site { ${times(value, (n) => `a${n}: siteId`)} } }`,
  ],
  ['directives', MAX_DIRECTIVES, (value) => `{ site { ${times(value, () => 'siteId @skip(if: false)')} } }`],
  ['rootFields', MAX_ROOT_FIELDS, (value) => `{ ${times(value, () => '__typename')} }`],
  [
    'rootFields',
    MAX_ROOT_FIELDS,
    (value) => `{ ...F __typename } fragment F on Query { ${times(value - 1, () => '__typename')} }`,
  ],
  ['depth', MAX_DEPTH, (value) => `{ __type(name: "Site") { ${ofType(value - 2)} } }`, 'depth'],
  ['page', PAGE, (value) => `{ datasets(first: ${value}) { totalCount } }`, 'page'],
  [
    'page',
    PAGE,
    (value) => ({ query: 'query ($n: Int) { datasets(first: $n) { totalCount } }', variables: { n: value } }),
    'page',
  ],
  ['page', PAGE, (value) => `query ($n: Int = ${value}) { datasets(first: $n) { totalCount } }`, 'page'],
  [
    'page',
    PAGE,
    (value) => ({
      query:
        'query ($n: Int) { groups(first: 2) { nodes { ...F } } } fragment F on Group { datasets(first: $n) { totalCount } }',
      variables: { n: value },
    }),
    'page',
  ],
  ['nodes', NODES, (value) => `{ groupSuggestions(text: "", limit: ${value}) { name } }`, 'nodes'],
  [
    'nodes',
    NODES,
    (value) =>
      `{ datasets(first: 10) { nodes { tags { name } } } groupSuggestions(text: "", limit: ${value - 110}) { name } }`,
    'nodes',
  ],
  [
    'cost',
    COST,
    // 11 + 100 × 17 for the suggestions, 11 + the rest for the site.
    (value) =>
      `{ groupSuggestions(text: "", limit: 100) { ${times(17, () => 'name')} } site { ${times(value - 1_722, () => 'siteId')} } }`,
    'cost',
  ],
];

describe.each(LIMITS)('at the limit of %s (%d)', (name, allowed, at, setting) => {
  const ask = (value: number) => {
    const edge = at(value);
    return typeof edge === 'string' ? world.graph(edge) : world.graph(edge.query, edge.variables);
  };

  it('the operation is answered', async () => {
    const { status, body } = await ask(allowed);
    expect(body.errors).toBeUndefined();
    expect({ status, data: body.data }).toEqual({ status: 200, data: expect.any(Object) });
  });

  it('one more is refused, with limit, value and setting, before anything runs', async () => {
    let answer: Awaited<ReturnType<typeof ask>> | undefined;
    const statements = await world.statementsOf(async () => {
      answer = await ask(allowed + 1);
    });
    expect(statements).toEqual([]);
    const { status, body } = answer!;
    expect(status).toBe(400);
    expect(body).not.toHaveProperty('data');
    expect(body.errors).toEqual([
      {
        message: expect.stringMatching(
          new RegExp(`${allowed} are allowed${setting ? ` \\(catalog\\.limits\\.graphql_${setting}\\)` : ''}$`),
        ),
        extensions: {
          code: 'LIMIT',
          limit: {
            name,
            value: name === 'tokens' ? null : allowed + 1,
            allowed,
            ...(setting && { setting: `catalog.limits.graphql_${setting}` }),
          },
        },
      },
    ]);
  });
});

describe('a page', () => {
  it('has at least one node', async () => {
    for (const first of [0, -1]) {
      const { status, body } = await world.graph('query ($n: Int) { datasets(first: $n) { totalCount } }', {
        n: first,
      });
      expect({ status, limit: body.errors[0].extensions.limit }).toEqual({
        status: 400,
        limit: { name: 'page', value: first, allowed: PAGE, setting: 'catalog.limits.graphql_page' },
      });
    }
    expect((await world.graph('{ datasets(first: 1) { totalCount } }')).body.errors).toBeUndefined();
    expect((await world.graph('{ datasets(first: null) { totalCount } }')).body.errors).toBeUndefined();
  });
});

describe('the cost', () => {
  it('is sent in the body and a header of every answer, except for invalid operations', async () => {
    const { body, headers } = await world.graph('{ groupSuggestions(text: "", limit: 10) { name title } }');
    expect(body.extensions).toEqual({ cost: { total: 31, allowed: COST, nodes: 10, nodesAllowed: NODES } });
    expect(headers.get('graphql-cost')).toBe('31');
    expect(headers.get('access-control-expose-headers')).toContain('GraphQL-Cost');
    const failed = await world.graph('{ dataset(name: "none") { name } }');
    expect(failed.body.errors).toHaveLength(1);
    expect(failed.body.extensions.cost.total).toBe(12);
    const unread = await world.graph('{ nothing }');
    expect(unread.body).not.toHaveProperty('extensions');
    expect(unread.headers.get('graphql-cost')).toBeNull();
  });

  it('of a mutation over the limit is refused before it writes', async () => {
    const query = (fields: number) =>
      `mutation { createDataset(input: { name: "made-${fields}" }) { dataset { tags { ${times(150, () => 'name')} } ${times(fields, () => 'name')} } errors { code } } }`;
    const ask = (fields: number) => world.graph(query(fields), {}, { as: admin });
    // 11 for the mutation, 1 for the dataset, the rest for its ten tags, and ten errors with a field each.
    const most = COST - 11 - 1 - 1_501 - 11;
    expect((await ask(most + 1)).body.errors[0].extensions.limit).toMatchObject({ name: 'cost', value: COST + 1 });
    expect((await world.graph(`{ dataset(name: "made-${most + 1}") { name } }`)).body.data.dataset).toBeNull();
    expect((await ask(most)).body.data.createDataset).toMatchObject({ dataset: { name: `made-${most}` }, errors: [] });
  });
});

describe('a hostile request', () => {
  const pairs = (count: number, body: (next: string) => string, on = 'Dataset') =>
    times(count, (n) => `fragment F${n} on ${on} { ${n < count - 1 ? body(`...F${n + 1}`) : 'name'} }`);

  it.each<[string, string, Record<string, unknown>?]>([
    [
      'fragments that unfold without end in sight',
      `{ dataset(name: "x") { ...F0 } } ${pairs(40, (next) => `a: groups { datasets(first: 2) { nodes { ${next} } } } b: groups { datasets(first: 2) { nodes { ${next} } } }`)}`,
    ],
    ['fragments in a circle', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    ['fields that overlap', `{ ${times(700, () => 'site { siteId }')} }`],
    [
      'fragments that overlap',
      `{ ${times(140, (n) => `...G${n}`)} } ${times(140, (n) => `fragment G${n} on Query { site { siteId title } }`)}`,
    ],
    [
      'lists in lists, where no size is said',
      `{ groups { nodes { datasets { nodes { groups { group { datasets { nodes { name } } } } } } } } }`,
    ],
    [
      'introspection in circles',
      `{ __schema { types { ${times(1, () => 'fields { type { fields { type { fields { type { fields { name } } } } } } }')} } } }`,
    ],
    ['an infinite size', 'query ($n: Int) { datasets(first: $n) { nodes { name } } }', { n: 1e308 }],
    ['a size beyond integers', '{ datasets(first: 99999999999999999999) { nodes { name } } }'],
    [
      'the default of a variable, in a fragment',
      'query ($n: Int = 2147483647) { ...F } fragment F on Query { datasets(first: $n) { nodes { name } } }',
    ],
    [
      'a list as the size',
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: Array.from({ length: 20_000 }, () => 'x') },
    ],
  ])('with %s is refused before anything runs', async (_what, query, variables = {}) => {
    let status: number | undefined;
    const statements = await world.statementsOf(async () => {
      const answer = await world.graph(query, variables);
      status = answer.status;
      expect(answer.body).not.toHaveProperty('data');
    });
    expect({ status, statements }).toEqual({ status: 400, statements: [] });
  });

  it('with an address of 20,000 characters is refused with 431', async () => {
    const answer = await fetch(`${world.base}/graphql?query=${'x'.repeat(20_000)}`);
    expect(answer.status).toBe(431);
  });
});
