/** Repeated searches are answered from lists cached in the process. They equal the answers of PostgreSQL after any write. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Call } from '../../src/kernel/call.ts';
import { datasetSearch, type SearchArgs } from '../../src/search/find/search.service.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const WORDS = ['river', 'flood', 'bridge', 'open-data', '防災 情報', '人口統計'];
const SEARCHES: SearchArgs[] = [
  {},
  ...[
    'river',
    'river flood',
    'river OR bridge',
    '"river flood"',
    'river -flood',
    'open-data',
    '人口統計',
    '"防災 情報" river',
  ].map((query) => ({ query })),
  { query: 'title:river' },
  { query: 'title:river notes:flood' },
  { query: 'author:smith OR title:flood' },
  { query: 'river flood bridge data', minimumMatch: '2' },
  { query: 'river flood', queryFields: 'title^3 text', tie: '0.5' },
  { query: '*:*', filters: ['tags:wet'] },
  { query: 'NOT tags:wet' },
  { query: 'river', filters: ['tags:wet', '-res_format:CSV'] },
  { filters: ['name:d-1 OR name:d-2 OR organization:nobody'] },
  { query: 'river', sort: 'metadata_modified asc' },
  { query: 'river', sort: 'score asc, metadata_modified desc' },
  { query: 'river', start: 3, rows: 5 },
  { query: '*:* OR river', sort: 'score desc', rows: 5 },
];

let world: World;
let call: Call;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  call = world.app.callAs(world.system);
  for (let i = 0; i < 60; i += 1) await make(i);
});
afterAll(() => world.end());

/** Words of a dataset, derived from its number. */
const wordsOf = (i: number, step: number): string =>
  WORDS.filter((_word, at) => (i * step + at * 7) % 5 < 2).join(i % 2 ? ' ' : ' of the ');

const make = (i: number) =>
  world.make.dataset({
    name: `d-${i}`,
    title: `${wordsOf(i, 1)} ${i}`,
    notes: wordsOf(i, 3).repeat(1 + (i % 4)),
    author: i % 3 ? 'Smith' : 'Jones',
    private: false,
    tags: [{ name: i % 4 ? 'wet' : 'dry' }, { name: 'river' }].slice(0, 1 + (i % 2)),
    resources: [{ url: 'https://example.org/', format: i % 3 ? 'CSV' : 'JSON' }],
  });

const asked = async (by: Call, args: SearchArgs) => {
  const { count, results, facets } = await datasetSearch(by, {
    facetFields: ['tags', 'res_format'],
    rows: 20,
    ...args,
  });
  const documents = results.map(({ document }) => document.text);
  return { count, names: results.map(({ name }) => name), documents, facets };
};

/** The answer of a process without cached lists. */
const anew = (args: SearchArgs) =>
  asked({ ...call, sql: { rows: (statement, values) => world.database.sql.rows(statement, values) } }, args);

/** Searches until the lists are cached: the words of the query are no longer sent. */
const askOften = (args: SearchArgs): Promise<boolean> =>
  until(
    async () => (await world.statementsOf(() => asked(call, args))).every((text) => !text.includes('MATERIALIZED')),
    () => args,
  );

it.each(SEARCHES.map((args): [string, SearchArgs] => [JSON.stringify(args), args]))('%s', async (_name, args) => {
  await askOften(args);
  expect(await asked(call, args)).toEqual(await anew(args));
});

it('finds new and changed datasets, and drops deleted ones, with the next request', async () => {
  for (const args of SEARCHES) await askOften(args);
  const same = async () => {
    for (const args of SEARCHES) expect(await asked(call, args)).toEqual(await anew(args));
  };
  await make(61);
  await same();
  await world.result(
    'package_patch',
    { id: 'd-61', title: 'bridge', notes: 'flood' },
    { as: await world.make.sysadmin() },
  );
  await same();
  const admin = await world.make.sysadmin();
  await world.result('package_patch', { id: 'd-1', title: 'nothing of it', notes: '', tags: [] }, { as: admin });
  await world.result('package_delete', { id: 'd-2' }, { as: admin });
  const owner = await world.make.organization();
  await world.result('package_patch', { id: 'd-3', owner_org: owner.id, private: true }, { as: admin });
  await world.result('dataset_purge', { id: 'd-4' }, { as: admin });
  await same();
  // The lists are updated in the background after a while.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await same();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await make(62);
  await same();
});

it('shows current documents after any write, and reads only the changed ones again', async () => {
  const rows: unknown[] = [];
  const { sql } = world.database;
  const listening: Call = {
    ...call,
    sql: {
      async rows<Row>(...asked: Parameters<typeof sql.rows>) {
        const found = await sql.rows<Row>(...asked);
        rows.push(...found);
        return found;
      },
    },
  };
  const documentsRead = async (args: SearchArgs) => {
    rows.length = 0;
    const { documents } = await asked(listening, args);
    return {
      documents,
      read: rows.filter((row) => typeof (row as { document?: unknown }).document === 'string').length,
    };
  };
  const admin = await world.make.sysadmin();
  const owner = await world.make.organization({ title: 'Harbour Office' });
  for (const name of ['k-1', 'k-2', 'k-3'])
    await world.make.dataset({ name, title: `kept ${name}`, ownerOrganization: owner.id, private: false });
  expect((await documentsRead({ query: 'title:kept' })).read).toBe(3); // shown once, so nothing is cached
  // From a list, by one statement, and from the index.
  for (const args of [{ query: 'title:kept' }, { query: 'title:kept', sort: 'name asc' }, { query: 'title:kep*' }]) {
    const isFirst = args.query === 'title:kept' && !args.sort;
    const first = await documentsRead(args);
    expect([first.documents.length, first.read]).toEqual([3, isFirst ? 3 : 0]);
    const second = await documentsRead(args);
    expect([second.documents.length, second.read]).toEqual([3, 0]);
  }
  await world.result('package_patch', { id: 'k-2', notes: 'Quay 7' }, { as: admin });
  const patched = await documentsRead({ query: 'title:kept' });
  expect(patched.read).toBe(1);
  expect(patched.documents.filter((text) => text.includes('Quay 7'))).toHaveLength(1);
  await world.result('organization_patch', { id: owner.id, title: 'Port Office' }, { as: admin });
  const renamed = await documentsRead({ query: 'title:kept' });
  expect(renamed.read).toBe(3);
  for (const text of renamed.documents) expect(JSON.parse(text).organization.title).toBe('Port Office');
});

it('returns the same keyset pages from cached lists as from the table', async () => {
  const query = `query ($query: String, $after: String) { search(query: $query, first: 7, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } nodes { name } } }`;
  for (const words of ['river', 'river flood', 'title:river']) {
    await askOften({ query: words });
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const { search }: { search: any } = (await world.graph(query, { query: words, after })).body.data;
      names.push(...search.nodes.map(({ name }: { name: string }) => name));
      after = search.pageInfo.endCursor;
      if (!search.pageInfo.hasNextPage) break;
    }
    expect(names).toEqual((await anew({ query: words, rows: 100, sort: 'score desc, metadata_modified desc' })).names);
  }
});
