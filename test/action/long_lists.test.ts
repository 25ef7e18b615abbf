/** Cached long lists: current after every write, and without hidden datasets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createList, type ListedColumn, publicList } from '../../src/catalog/dataset/read/names.sql.ts';
import { type ListText, listTexts } from '../../src/catalog/dataset/read/texts.sql.ts';
import { openDatabase, type Sql, sqlOn } from '../../src/infra/postgres/db.ts';
import { tracedSql } from '../../src/infra/postgres/traced.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let member: TestUser;
let office: Awaited<ReturnType<World['make']['organization']>>;
/** Database connection of another process, which shares no cache with the server. */
let other: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  member = await world.make.user({ name: 'member' });
  office = await world.make.organization({ name: 'office', members: { [member.id]: 'member' } });
  await world.make.group({ name: 'topic' });
  for (const name of ['l-1', 'l-2', 'l-3']) await world.make.dataset({ name, ownerOrganization: office.id });
  await world.make.dataset({ name: 'l-hidden', ownerOrganization: office.id, private: true });
  await world.make.dataset({ name: 'l-draft', ownerOrganization: office.id, state: 'draft' });
  other = openDatabase({ url: world.database.url, max: 1 });
});
afterAll(async () => {
  await other.close();
  await world.end();
});

const showOf = async (kind: string, id: string, as: TestUser | null = null) =>
  (await world.result(`${kind}_show`, { id, include_datasets: true }, { as })).packages as { name: string }[];
const names = (datasets: readonly { name: string }[]) => datasets.map(({ name }) => name);

/** Every list, as returned by the server. */
async function read(as: TestUser | null) {
  return {
    names: (await world.result('package_list', {}, { as })) as string[],
    organization: await showOf('organization', 'office', as),
    group: await showOf('group', 'topic', as),
    current: (await world.result('current_package_list_with_resources', {}, { as })) as { name: string }[],
  };
}

/** Reads every list, and checks that another process returns the same names. */
async function lists(as: TestUser | null = null) {
  const found = await read(as);
  const anew: Sql = { rows: (statement, values) => other.sql.rows(statement, values) };
  const elsewhere = async (sql: Sql) => JSON.parse((await publicList(sql, 'name')).text);
  expect(await elsewhere(other.sql)).toEqual(await elsewhere(anew));
  expect(found.names).toEqual(await elsewhere(anew));
  return found;
}

/**
 * Reads the lists until they are cached. A list is cached once all transactions older than the last write have ended, including
 * those of other tests in other databases.
 */
async function untilCached() {
  const text = 'SELECT max(written) < pg_snapshot_xmin(pg_current_snapshot()) AS "isSettled" FROM dataset_search';
  await until(async () => (await world.database.sql.rows<{ isSettled: boolean }>({ text }))[0]!.isSettled);
  for (let time = 0; time < 3; time += 1) await lists();
}

/** Checks that every listed dataset equals its package_show. */
async function mustBeCurrent(as: TestUser | null = null) {
  const found = await lists(as);
  for (const [list, datasets] of Object.entries(found))
    if (list !== 'names')
      for (const dataset of datasets as { name: string }[])
        expect(dataset).toEqual(await world.result('package_show', { id: dataset.name }, { as }));
  return found;
}

describe('a cached list', () => {
  it('is not fetched from the database again while nothing was written', async () => {
    await untilCached();
    const sent: number[] = [];
    const counting: Sql = {
      async rows<Row>(...asked: Parameters<Sql['rows']>) {
        const rows = await world.database.sql.rows<Row>(...asked);
        sent.push(JSON.stringify(rows).length);
        return rows;
      },
    };
    const list: ListText = { of: 'organization', id: office.id, shows: 'public', limit: 1000, offset: 0 };
    const texts: string[] = [];
    for (let time = 0; time < 4; time += 1) {
      texts.push((await publicList(counting, 'name')).text);
      texts.push((await listTexts(counting, list, [office.id])).get(office.id)!.text);
    }
    expect(new Set(texts).size).toBe(2);
    expect(sent[6]).toBeLessThan(100);
    expect(sent[7]).toBeLessThan(200);
    expect(sent[1]).toBeGreaterThan(3_000);
  });

  it('is queried once for concurrent calls, and separately for a traced call', async () => {
    let asked = 0;
    const counting: Sql = {
      rows: (...statement) => {
        asked += 1;
        return world.database.sql.rows(...statement);
      },
    };
    const traced = tracedSql(counting, { child: () => undefined } as never);
    const both: ListedColumn[] = ['name', 'dataset_id'];
    const calls = both.flatMap((column) => [...Array(5).fill(counting), traced].map((sql) => publicList(sql, column)));
    const texts = (await Promise.all(calls)).map(({ text }) => text);
    expect(asked).toBe(4);
    expect(new Set(texts).size).toBe(2);
  });

  it('is not cached if it exceeds the size limit', async () => {
    const { length } = Buffer.from((await publicList(world.database.sql, 'name')).text);
    const sentWith = async (maxBytes: number) => {
      let sent = 0;
      const counting: Sql = {
        async rows<Row>(...asked: Parameters<Sql['rows']>) {
          const rows = await world.database.sql.rows<Row>(...asked);
          sent += (rows[0] as { list: string | null }).list === null ? 0 : 1;
          return rows;
        },
      };
      const list = createList(counting, 'name', maxBytes);
      for (let time = 0; time < 3; time += 1) await list.read(counting);
      return sent;
    };
    await untilCached();
    expect(await sentWith(length)).toBe(1);
    expect(await sentWith(length - 1)).toBe(3);
  });

  const writes: Record<string, () => Promise<unknown>> = {
    'a new dataset': () =>
      world.make.dataset({ name: 'l-4', ownerOrganization: office.id, groups: [{ name: 'topic' }] }),
    'a new title': () => world.result('package_patch', { id: 'l-1', title: 'Another' }, { as: admin }),
    'a new name': () => world.result('package_patch', { id: 'l-4', name: 'a-4' }, { as: admin }),
    'a new resource': () =>
      world.result('resource_create', { package_id: 'l-1', url: 'http://example.org/1' }, { as: admin }),
    'a dataset that becomes private': () => world.result('package_patch', { id: 'l-2', private: true }, { as: admin }),
    'a dataset that becomes public': () => world.result('package_patch', { id: 'l-2', private: false }, { as: admin }),
    'a published draft': () => world.result('package_patch', { id: 'l-draft', state: 'active' }, { as: admin }),
    'a dataset in a group': () =>
      world.result(
        'member_create',
        { id: 'topic', object: 'l-1', object_type: 'package', capacity: 'public' },
        { as: admin },
      ),
    'a group with another title': () => world.result('group_patch', { id: 'topic', title: 'Topics' }, { as: admin }),
    'an organization with another title': () =>
      world.result('organization_patch', { id: 'office', title: 'Offices' }, { as: admin }),
    'a dataset that leaves a group': () =>
      world.result('member_delete', { id: 'topic', object: 'l-1', object_type: 'package' }, { as: admin }),
    'many private datasets at once': async () =>
      world.result(
        'bulk_update_private',
        { org_id: 'office', datasets: [(await world.result('package_show', { id: 'l-3' })).id] },
        { as: admin },
      ),
    'many public datasets at once': async () =>
      world.result(
        'bulk_update_public',
        { org_id: 'office', datasets: [(await world.result('package_show', { id: 'l-3' }, { as: admin })).id] },
        { as: admin },
      ),
    'a deleted dataset': () => world.result('package_delete', { id: 'l-3' }, { as: admin }),
    'a purged dataset': () => world.result('dataset_purge', { id: 'l-1' }, { as: admin }),
    'a dataset of no organization': () =>
      world.result('package_owner_org_update', { id: 'a-4', organization_id: '' }, { as: admin }),
  };
  it.each(Object.entries(writes))('shows %s on the next read', async (_what, write) => {
    await untilCached();
    const before = JSON.stringify(await lists());
    await write();
    expect(JSON.stringify(await mustBeCurrent())).not.toBe(before);
  });

  it('omits datasets of a deleted organization', async () => {
    await world.make.organization({ name: 'closing' });
    await world.make.dataset({ name: 'l-closing', ownerOrganization: 'closing' });
    await untilCached();
    await world.result('organization_delete', { id: 'closing' }, { as: admin });
    expect((await lists()).names).not.toContain('l-closing');
  });

  it('hides a write before its commit, and a write that was rolled back', async () => {
    await untilCached();
    const { rows } = await world.database.pool.query(`SELECT document FROM dataset_document WHERE name = 'l-2'`);
    const client = await other.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE dataset_document SET private = true WHERE name = 'l-2'`);
      const list = async () => JSON.parse((await publicList(world.database.sql, 'name')).text);
      for (let time = 0; time < 3; time += 1) expect(await list()).toContain('l-2');
      await client.query('ROLLBACK');
      for (let time = 0; time < 3; time += 1) expect(await list()).toContain('l-2');
      await client.query('BEGIN');
      await client.query(`UPDATE dataset_document SET private = true WHERE name = 'l-2'`);
      await list();
      await client.query('COMMIT');
      expect(await list()).not.toContain('l-2');
      await client.query(`UPDATE dataset_document SET private = false WHERE name = 'l-2'`);
      expect(await list()).toContain('l-2');
    } finally {
      client.release();
    }
    expect(rows).toHaveLength(1);
  });

  it('shows an updated document after its commit, and earlier only within its own transaction', async () => {
    const list: ListText = { of: 'organization', id: office.id, shows: 'public', limit: 1000, offset: 0 };
    const title = async (sql: Sql) => {
      for (let time = 0; time < 3; time += 1) await listTexts(sql, list, [office.id]);
      const text = (await listTexts(sql, list, [office.id])).get(office.id)!;
      return (JSON.parse(text!.text) as { name: string; title: string }[]).find(({ name }) => name === 'l-2')!.title;
    };
    const write = (sql: Sql, to: string) =>
      sql.rows({
        text: `UPDATE dataset_document SET document = jsonb_set(document::jsonb, '{title}', to_jsonb('${to}'::text))::text WHERE name = 'l-2'`,
      });
    const before = await title(world.database.sql);
    const client = await other.pool.connect();
    const within = sqlOn(client);
    try {
      for (const [to, end] of [
        ['undone', 'ROLLBACK'],
        ['first', 'COMMIT'],
        ['second', 'COMMIT'],
      ] as const) {
        const current = await title(world.database.sql);
        await client.query('BEGIN');
        expect(await title(within)).toBe(current);
        await write(within, to);
        expect([await title(within), await title(world.database.sql)]).toEqual([to, current]);
        await client.query(end);
        expect(await title(world.database.sql)).toBe(end === 'COMMIT' ? to : current);
      }
      await write(within, before);
      expect(await title(world.database.sql)).toBe(before);
    } finally {
      client.release();
    }
  });

  it('includes every finished write while writers and readers run concurrently', async () => {
    const added: string[] = [];
    const write = async (n: number) => {
      const { name } = await world.make.dataset({ name: `z-${n}`, ownerOrganization: office.id });
      added.push(name);
    };
    const readAll = async () => {
      const expected = [...added];
      const found = await read(null);
      expect(found.names).toEqual(expect.arrayContaining(expected));
      expect(names(found.organization)).toEqual(expect.arrayContaining(expected));
    };
    for (let round = 0; round < 4; round += 1)
      await Promise.all([write(2 * round), readAll(), write(2 * round + 1), readAll()]);
    await readAll();
    expect(added).toHaveLength(8);
  });
});

describe('hidden datasets', () => {
  it('appear in organization lists for members and sysadmins only, in any order of reads', async () => {
    for (const as of [admin, null, member, null, admin, member, null]) {
      const found = await mustBeCurrent(as);
      expect(found.names).not.toContain('l-hidden');
      expect(names(found.current)).not.toContain('l-hidden');
      expect(names(found.organization).includes('l-hidden')).toBe(as !== null);
    }
  });

  it('stay hidden from visitors in relationships of listed datasets', async () => {
    await untilCached();
    await world.result(
      'package_relationship_create',
      { subject: 'l-2', object: 'l-hidden', type: 'depends_on', comment: 'secret' },
      { as: admin },
    );
    for (const as of [null, member, null, admin, null]) {
      const { organization, current } = await mustBeCurrent(as);
      expect(JSON.stringify([organization, current]).includes('secret')).toBe(as !== null);
    }
  });
});

describe('entity tags', () => {
  const tagOf = async (as: TestUser | null, tag?: string) => {
    const headers = { ...(as && { authorization: as.key }), ...(tag && { 'if-none-match': tag }) };
    const got = await world.action(
      'organization_show',
      { id: 'tagged', include_datasets: 'true' },
      { get: true, headers },
    );
    return { status: got.status, tag: got.headers.get('etag')! };
  };

  it('are equal for cached and uncached responses, and change with every visible write', async () => {
    await world.make.organization({ name: 'tagged' });
    await world.make.dataset({ name: 't-1', ownerOrganization: 'tagged', private: false });
    await world.make.dataset({ name: 't-2', ownerOrganization: 'tagged', private: true });
    const first = await tagOf(null);
    for (let time = 0; time < 3; time += 1) expect(await tagOf(null)).toEqual(first);
    expect((await tagOf(null, first.tag)).status).toBe(304);
    expect((await tagOf(admin)).tag).not.toBe(first.tag);
    await world.result('package_patch', { id: 't-1', notes: 'changed' }, { as: admin });
    const second = await tagOf(null, first.tag);
    expect([second.status, second.tag === first.tag]).toEqual([200, false]);
    await world.result('package_patch', { id: 't-2', notes: 'changed' }, { as: admin });
    expect((await tagOf(null, second.tag)).status).toBe(304);
  });
});
