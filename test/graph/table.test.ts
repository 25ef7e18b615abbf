/** Tables of resources on /graphql: visibility, pages of records, filters and refusals. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let dataset: string;
let open: string;
let hidden: string;

const RECORDS = Array.from({ length: 25 }, (_, n) => ({
  n,
  word: n % 5 === 0 ? null : `w${n % 3}`,
  price: n % 2 === 0 ? n / 2 : null,
  ratio: n / 4,
}));

beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  await world.datastore();
  editor = await world.make.user();
  const { id } = await world.make.organization({ members: { [editor.id]: 'editor' } });
  const resources = Array.from({ length: 3 }, (_, n) => ({ url: `http://example.com/${n}.csv` }));
  const { body } = await world.make.dataset({ ownerOrganization: id, resources });
  dataset = body.id;
  [open, hidden] = body.resources.map((resource: { id: string }) => resource.id) as [string, string];
  const fields = [
    { id: 'n', type: 'int' },
    { id: 'word', type: 'text' },
    { id: 'price', type: 'numeric' },
    { id: 'ratio', type: 'float' },
  ];
  for (const resource_id of [open, hidden])
    await world.result('datastore_create', { resource_id, force: true, fields, records: RECORDS }, { as: editor });
  await world.result('datastore_make_private', { resource_id: hidden }, { as: editor });
});
afterAll(() => world.end());

async function ask(selection: string, variables: Record<string, unknown> = {}, as: TestUser | null = null) {
  const types = Object.keys(variables).map(
    (name) => `$${name}: ${['after', 'before'].includes(name) ? 'String' : '[TableConditionInput!]'}`,
  );
  const query = `query ${types.length > 0 ? `(${types.join(', ')})` : ''} { resource(id: "${open}") { table { ${selection} } } }`;
  const { body } = await world.graph(query, variables, { as });
  return body.errors ? body.errors[0] : body.data.resource.table;
}

describe('tables of resources', () => {
  it('are visible to their readers and load in batches', async () => {
    const query = `{ dataset(id: "${dataset}") { resources { table { resourceId fields { id type } aliases primaryKey } } } }`;
    const tables = async (as: TestUser | null) =>
      (await world.graph(query, {}, { as })).body.data.dataset.resources.map(
        ({ table }: { table: { resourceId: string } | null }) => table?.resourceId ?? null,
      );
    expect(await tables(null)).toEqual([open, null, null]);
    expect(await tables(editor)).toEqual([open, hidden, null]);
    const statements = await world.statementsOf(() => tables(editor));
    const asked = /pg_attribute|datastore_aliases|JOIN dataset d ON d.id = r.dataset_id/;
    expect(statements.filter((text) => asked.test(text))).toHaveLength(4); // owners, columns, aliases, keys: once each
  });

  it.each([
    '',
    '[{ field: "word" }]',
    '[{ field: "word", direction: DESC }, { field: "ratio", direction: DESC }]',
    '[{ field: "price" }, { field: "word" }]',
    '[{ field: "price", direction: DESC }]',
  ])('return each record once, page by page, in the order %s', async (order) => {
    const by = order === '' ? '' : `, orderBy: ${order}`;
    const whole = (await ask(`records(first: 100${by}) { nodes totalCount }`)).records;
    expect(whole.totalCount).toBe(25);
    expect(new Set(whole.nodes.map(({ n }: { n: number }) => n)).size).toBe(25);
    const sort = [...order.matchAll(/"(\w+)"(, direction: DESC)?/g)].map(
      ([, id, down]) => `${id}${down ? ' desc' : ''}`,
    );
    const found = await world.result('datastore_search', { resource_id: open, sort: sort.join(', ') });
    expect(whole.nodes).toEqual(found.records);
    const paged: unknown[] = [];
    let after: string | null = null;
    for (let page = 0; page < 10; page++) {
      const { records } = await ask(
        `records(first: 4, after: $after${by}) { edges { node } pageInfo { hasNextPage endCursor } }`,
        { after },
      );
      paged.push(...records.edges.map(({ node }: { node: unknown }) => node));
      after = records.pageInfo.endCursor;
      if (!records.pageInfo.hasNextPage) break;
    }
    expect(paged).toEqual(whole.nodes);
    const backward: unknown[] = [];
    for (let before: string | null = null; backward.length < 25; ) {
      const { records } = await ask(`records(last: 4, before: $before${by}) { nodes pageInfo { startCursor } }`, {
        before,
      });
      backward.unshift(...records.nodes);
      before = records.pageInfo.startCursor;
      if (records.nodes.length === 0) break;
    }
    expect(backward).toEqual(whole.nodes);
  });

  it('list their indexes', async () => {
    expect((await ask('indexes primaryKey')).indexes).toEqual([]);
    const indexes = [['word'], ['n', 'ratio']];
    await world.result(
      'datastore_create',
      { resource_id: open, force: true, indexes: ['word', 'n,ratio'] },
      { as: editor },
    );
    expect((await ask('indexes')).indexes.toSorted()).toEqual(indexes.toSorted());
  });

  it('return the records that match filters or words', async () => {
    const filter = [{ field: 'n', gte: 3, lt: 6 }];
    expect((await ask('records(filter: $filter, fields: ["n"]) { nodes totalCount }', { filter })).records).toEqual({
      nodes: [{ n: 3 }, { n: 4 }, { n: 5 }],
      totalCount: 3,
    });
    const some = [
      { field: 'n', in: [1, 2, null] },
      { field: 'word', eq: 'w1' },
    ];
    expect((await ask('records(filter: $filter, fields: ["n"]) { nodes }', { filter: some })).records.nodes).toEqual([
      { n: 1 },
    ]);
    expect((await ask('records(q: "w1", fields: ["n"], first: 2) { nodes }')).records.nodes).toEqual([
      { n: 1 },
      { n: 4 },
    ]);
  });

  it('refuse unknown fields, invalid filters, foreign cursors and long pages', async () => {
    const { endCursor } = (await ask('records(first: 1, orderBy: [{ field: "word" }]) { pageInfo { endCursor } }'))
      .records.pageInfo;
    const odd = (key: unknown) => Buffer.from(JSON.stringify([JSON.stringify(key)])).toString('base64url');
    const wrong: [string, Record<string, unknown>?][] = [
      ['records(orderBy: [{ field: "nope" }]) { nodes }'],
      ['records(fields: ["nope"]) { nodes }'],
      ['records(filter: $filter) { nodes }', { filter: [{ field: 'nope', eq: 1 }] }],
      ['records(filter: $filter) { nodes }', { filter: [{ field: 'n', eq: 'x' }] }],
      ['records(filter: $filter) { nodes }', { filter: [{ field: 'n' }] }],
      ['records(filter: $filter) { nodes }', { filter: [{ field: 'n', eq: {} }] }],
      ['records(filter: $filter) { nodes }', { filter: [{ field: 'n', in: [] }] }],
      ['records(after: $after) { nodes }', { after: endCursor }],
      ['records(after: $after) { nodes }', { after: odd(["1'; --"]) }],
      ['records(after: $after, orderBy: [{ field: "n" }]) { nodes }', { after: odd(['x', '1']) }],
    ];
    for (const [selection, variables] of wrong)
      expect([selection, variables, (await ask(selection, variables)).extensions?.code]).toEqual([
        selection,
        variables,
        'VALIDATION',
      ]);
    expect((await ask('records(first: 100000) { nodes }')).extensions?.code).toBe('LIMIT');
  });
});

it('cuts long values on request', async () => {
  const records = (maxLength: number) =>
    ask(`records(first: 2, fields: ["word", "ratio"], maxLength: ${maxLength}) { nodes }`);
  expect((await records(1)).records.nodes).toEqual([
    { word: null, ratio: 0 },
    { word: 'w', ratio: 0.25 },
  ]);
  expect((await records(1_000_000)).records.nodes[1]).toEqual({ word: 'w1', ratio: 0.25 });
  for (const length of [0, 1_000_001])
    expect(await records(length)).toMatchObject({
      extensions: { code: 'VALIDATION' },
      message: expect.stringContaining('maxLength'),
    });
});

it('returns the first rows of a statement on request', async () => {
  const first = async (count: number) => {
    const query = `{ tableQuery(sql: "SELECT n FROM \\"${open}\\" ORDER BY n", maxRows: ${count}) { records } }`;
    const { body } = await world.graph(query);
    return body.errors ? body.errors[0].extensions.code : body.data.tableQuery.records;
  };
  expect(await first(1)).toEqual([{ n: 0 }]);
  expect(await first(2)).toEqual([{ n: 0 }, { n: 1 }]);
  expect(await first(1_000)).toHaveLength(25);
  expect(await first(0)).toBe('VALIDATION');
});
