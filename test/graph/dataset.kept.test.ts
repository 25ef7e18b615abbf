/** Cache of frequently listed datasets: after any write it returns the same as the table. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { findDocument } from '../../src/catalog/dataset/dataset.sql.ts';
import { type DatasetList, keyOf, listPages } from '../../src/catalog/dataset/read/lists.sql.ts';
import type { DatasetRecord } from '../../src/catalog/document/record.ts';
import { openDatabase, type Sql } from '../../src/infra/postgres/db.ts';
import { WHOLE } from '../../src/kernel/keyset.sql.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let owner: Awaited<ReturnType<World['make']['organization']>>;
/** Number of documents that the database sent since the last reset. */
let sent = 0;
/** One `Sql` for all tests, because the cache belongs to it. */
let sql: Sql;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  owner = await world.make.organization({ title: 'Harbour Office' });
  for (const name of ['k-1', 'k-2', 'k-3', 'k-4'])
    await world.make.dataset({
      name,
      title: `Title of ${name}`,
      ownerOrganization: owner.id,
      private: false,
      tags: [{ name: 'kept' }],
    });
  sql = {
    async rows<Row>(...asked: Parameters<Sql['rows']>) {
      const found = await world.database.sql.rows<Row>(...asked);
      sent += found.filter((row) => typeof (row as { document?: unknown }).document === 'string').length;
      return found;
    },
  };
});
afterAll(() => world.end());

/** An `Sql` with an empty cache. */
const anew = (): Sql => ({ rows: (statement, values) => world.database.sql.rows(statement, values) });

const plain = (record: DatasetRecord) => ({ ...record, document: record.document.text, body: record.body });

const LISTS: DatasetList['of'][] = ['all', 'organization'];

async function everything(by: Sql) {
  const shown = [];
  for (const of of LISTS)
    for (const limit of [2, 20]) {
      const id = of === 'all' ? '' : owner.id;
      const pages = await listPages(
        by,
        { of, shows: 'public', where: {}, order: 'MODIFIED DESC' },
        [id],
        { ...WHOLE, limit },
        [],
      );
      shown.push(...pages.get(id)!.map((one) => ({ ...plain(one.record), key: keyOf(one, 'MODIFIED DESC') })));
    }
  return shown;
}

/** @returns the number of documents that the database sent for the cached read */
async function same(): Promise<number> {
  sent = 0;
  const shown = await everything(sql);
  const read = sent;
  expect(shown).toEqual(await everything(anew()));
  return read;
}

async function untilKept(): Promise<void> {
  for (let i = 0; i < 3; i += 1) await everything(sql);
  expect(await same()).toBe(0);
}

it('reads unchanged documents from the cache after three reads', untilKept);

it('shows a write in the next read', async () => {
  await untilKept();
  await world.result('package_patch', { id: 'k-1', title: 'Another' }, { as: admin });
  expect(await same()).toBeGreaterThan(0);
  expect((await findDocument(sql, 'k-1'))?.body.title).toBe('Another');

  await untilKept();
  await world.result('package_patch', { id: 'k-2', private: true }, { as: admin });
  await same();
  expect((await findDocument(sql, 'k-2'))?.private).toBe(true);

  await untilKept();
  await world.result('package_delete', { id: 'k-3' }, { as: admin });
  await same();
  expect((await findDocument(sql, 'k-3'))?.state).toBe('deleted');

  await untilKept();
  await world.result('dataset_purge', { id: 'k-3' }, { as: admin });
  await same();
  expect(await findDocument(sql, 'k-3')).toBeNull();
});

it('shows the current title of an embedded organization, although dataset versions stay the same', async () => {
  await untilKept();
  await world.result('organization_patch', { id: owner.id, title: 'Port Authority' }, { as: admin });
  await same();
  expect((await findDocument(sql, 'k-1'))?.body.organization?.title).toBe('Port Authority');
});

it('shows the last of two changes in one transaction after the commit', async () => {
  await untilKept();
  const client = new pg.Client({ connectionString: world.database.url });
  await client.connect();
  try {
    const change = (from: string, to: string) =>
      client.query(`UPDATE dataset_document SET document = replace(document, $1, $2) WHERE name = 'k-1'`, [from, to]);
    await client.query('BEGIN');
    await change('Another', 'Once');
    await same();
    await change('Once', 'Twice');
    await same();
    await client.query('COMMIT');
    await same();
    expect((await findDocument(sql, 'k-1'))?.body.title).toBe('Twice');
  } finally {
    await client.end();
  }
});

it('hides a dataset from visitors once it is private, although it was listed often', async () => {
  const QUERY = 'query ($id: ID!) { organization(id: $id) { datasets { totalCount nodes { name title } } } }';
  const dataset = await world.make.dataset({ name: 'k-6', title: 'Open', ownerOrganization: owner.id, private: false });
  const ask = async (as: TestUser | null): Promise<string[]> => {
    const { body } = await world.graph(QUERY, { id: owner.id }, { as });
    expect(body.errors).toBeUndefined();
    return body.data.organization.datasets.nodes.map((node: { name: string }) => node.name);
  };
  for (let i = 0; i < 4; i += 1) expect(await ask(null)).toContain(dataset.name);
  await world.result('package_patch', { id: 'k-6', private: true }, { as: admin });
  for (let i = 0; i < 4; i += 1) {
    expect(await ask(admin)).toContain(dataset.name);
    expect(await ask(null)).not.toContain(dataset.name);
  }
});

it('reads pages with generic plans, because planning costs more than reading', async () => {
  const one = openDatabase({ url: world.database.url, max: 1 });
  const pages = [WHOLE, { ...WHOLE, backward: true }, { ...WHOLE, from: [Date.now() * 1000, 'k'] }];
  try {
    for (const of of LISTS)
      for (const page of pages)
        for (let run = 0; run < 7; run += 1)
          await listPages(
            one.sql,
            { of, shows: 'public', where: {}, order: 'MODIFIED DESC' },
            [of === 'all' ? '' : owner.id],
            { ...page, limit: 2 + run },
            [],
          );
    const plans = await one.sql.rows<{ name: string; generic: number }>({
      text: `SELECT name, generic_plans::int AS generic FROM pg_prepared_statements WHERE name LIKE 'dataset_pages%'`,
    });
    expect(plans).toHaveLength(LISTS.length * pages.length);
    expect(plans.filter(({ generic }) => generic !== 2)).toEqual([]); // PostgreSQL tries 5 custom plans first
  } finally {
    await one.close();
  }
});
