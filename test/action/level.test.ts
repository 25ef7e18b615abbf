/**
 * Defaults set by catalog.action_api.level, besides statuses and forms: numbers, empty values, memberships and autocompletion.
 * Each also has its own setting.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Settings } from '../../src/kernel/settings.ts';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';

const LEVEL: Partial<Settings> = { 'catalog.action_api.level': '2.11' };
const FIELDS = [
  { id: 'k', type: 'int' },
  { id: 'big', type: 'int8' },
  { id: 'exact', type: 'numeric' },
  { id: 'list', type: 'numeric[]' },
  { id: 'cash', type: 'money' },
  { id: 'float', type: 'float8' },
  { id: 'at', type: 'timestamp' },
  { id: 'day', type: 'date' },
  { id: 'yes', type: 'bool' },
  { id: 'words', type: 'text' },
  { id: 'short', type: 'varchar(5)' },
  { id: 'free', type: 'json' },
];
/** More digits than a double has. */
const EXACT = '12345678901234567890.123456789';
const BIG = '9007199254740993';

const worlds = new Map<string, Tables>();
async function tablesAt(settings: Partial<Settings>): Promise<Tables> {
  const key = JSON.stringify(settings);
  if (!worlds.has(key)) worlds.set(key, await createTables(settings));
  return worlds.get(key)!;
}
afterAll(() => Promise.all([...worlds.values()].map(({ world }) => world.end())));

/** Cases for each behaviour: the default, its own setting, the level, and the level overridden by the setting. */
const ways = <K extends keyof Settings>(name: K, old: Settings[K], later: Settings[K]) =>
  [
    [{}, old],
    [{ [name]: later }, later],
    [LEVEL, later],
    [{ ...LEVEL, [name]: old }, old],
  ] as [Partial<Settings>, Settings[K]][];

describe.each(ways('catalog.action_api.exact_numbers', 'text', 'number'))('exact numbers with %j', (settings, form) => {
  let at: Tables;
  let id: string;
  const text = async (path: string, init?: RequestInit) => (await at.world.request(path, init)).text;
  const written = (digits: string) => (form === 'text' ? `"${digits}"` : digits);
  beforeAll(async () => {
    at = await tablesAt(settings);
    id = await at.table({
      fields: FIELDS,
      records: [{ k: 1, big: BIG, exact: EXACT, list: [1.5], cash: '1.25', float: 0.5 }],
    });
  });

  it.each(['objects', 'lists'])('have the configured form in datastore_search, as %s', async (format) => {
    const found = await text(`/api/3/action/datastore_search?resource_id=${id}&records_format=${format}`);
    expect(found).toContain(written(EXACT));
    expect(found).toContain(written(BIG));
    expect(found).toContain(`[${written('1.5')}]`);
    expect(found).toContain('"$1.25"');
    expect(found).toContain('0.5');
    expect(found.includes(`"${EXACT}"`)).toBe(form === 'text');
  });

  it('have the configured form in datastore_search_sql', async () => {
    const sql = encodeURIComponent(
      `SELECT exact, big, sum(exact) AS total, count(*) AS n, 'NaN'::numeric AS odd FROM "${id}" GROUP BY 1, 2`,
    );
    const found = await text(`/api/3/action/datastore_search_sql?sql=${sql}`);
    expect(found).toContain(`"exact":${written(EXACT)}`);
    expect(found).toContain(`"total":${written(EXACT)}`);
    expect(found).toContain(`"n":${written('1')}`);
    expect(found).toContain('"odd":"NaN"');
  });

  it('have the configured form in JSON dumps, and are unchanged in CSV dumps', async () => {
    expect(await text(`/datastore/dump/${id}?format=json`)).toContain(written(EXACT));
    expect(await text(`/datastore/dump/${id}?format=ndjson`)).toContain(`"exact":${written(EXACT)}`);
    expect(await text(`/datastore/dump/${id}`)).toContain(`,${EXACT},`);
  });

  it('stay strings in GraphQL, unless exactNumbers is true', async () => {
    const graph = (query: string) => at.world.full(query, { id });
    const { body } = await graph(`query ($id: ID!) {
      tableSearch(input: { resourceId: $id }) { records }
      table(id: $id) { records(first: 1) { nodes } } }`);
    expect(body.data.tableSearch.records[0].exact).toBe(EXACT);
    expect(body.data.table.records.nodes[0].exact).toBe(EXACT);
    const asked = await graph(
      'query ($id: ID!) { tableSearch(input: { resourceId: $id }, exactNumbers: true) { records } }',
    );
    expect(asked.body.data.tableSearch.records[0].exact).toBe(Number(EXACT));
  });
});

describe.each(ways('catalog.action_api.empty_numbers', 'refuse', 'null'))(
  'empty strings for numbers with %j',
  (settings, meaning) => {
    let at: Tables;
    beforeAll(async () => {
      at = await tablesAt(settings);
    });
    const EMPTY = Object.fromEntries(FIELDS.map(({ id }) => [id, '']));
    const KEPT = {
      k: null,
      big: null,
      exact: null,
      cash: null,
      float: null,
      at: null,
      day: null,
      yes: null,
      words: '',
      short: '',
      free: '',
    };

    it('are refused or stored as null by datastore_create', async () => {
      const resource_id = await at.resource();
      const { list: _list, ...records } = EMPTY;
      const made = await at.write('datastore_create', { resource_id, fields: FIELDS, records: [records] });
      if (meaning === 'refuse') {
        expect(made.body.error).toMatchObject({ __type: 'Validation Error' });
        return;
      }
      expect((await at.search({ resource_id })).records).toEqual([{ _id: 1, ...KEPT, list: null }]);
    });

    it.each(['insert', 'upsert', 'update'])('are refused or stored as null by %s', async (method) => {
      const resource_id = await at.table({
        fields: FIELDS,
        primary_key: ['k'],
        records: [{ k: 1, exact: 5, at: '2020-01-01' }],
      });
      const record = { ...EMPTY, k: method === 'insert' ? 2 : 1 };
      const { body } = await at.write('datastore_upsert', { resource_id, method, records: [record] });
      expect(body.success).toBe(meaning === 'null');
      const { records } = await at.search({ resource_id, filters: { k: record.k } });
      if (meaning === 'null') expect(records).toEqual([{ _id: expect.any(Number), ...KEPT, list: null, k: record.k }]);
      else
        expect(records.map(({ at }: { at: string }) => at)).toEqual(method === 'insert' ? [] : ['2020-01-01T00:00:00']);
    });
  },
);

describe.each(ways('catalog.action_api.memberships', 'admin', 'all'))(
  'organization_list_for_user with %j',
  (settings, lists) => {
    let at: Tables;
    let user: TestUser;
    let names: string[];
    beforeAll(async () => {
      at = await tablesAt(settings);
      const { make } = at.world;
      user = await make.user();
      const top = await make.organization({ members: { [user.id]: 'admin' } });
      const as = await make.sysadmin();
      const below = await at.world.result(
        'organization_create',
        { name: `below-${top.name}`, groups: [{ name: top.name }] },
        { as },
      );
      names = [
        top.name,
        below.name,
        (await make.organization({ members: { [user.id]: 'editor' } })).name,
        (await make.organization({ members: { [user.id]: 'member' } })).name,
      ];
      await make.organization();
    });
    const listed = async (params: object, as: TestUser | null = user) =>
      Object.fromEntries(
        (await at.world.result('organization_list_for_user', params as never, { as })).map(
          ({ name, capacity }: { name: string; capacity?: string }) => [name, capacity],
        ),
      );

    it('lists administered organizations, or all memberships with their capacity', async () => {
      const [top, below, edited, joined] = names as [string, string, string, string];
      const all = { [top]: 'admin', [below]: 'admin', [edited]: 'editor', [joined]: 'member' };
      const own = { [top]: undefined, [below]: undefined };
      for (const params of [{}, { permission: null }, { permission: '' }])
        expect(await listed(params)).toEqual(lists === 'all' ? all : own);
      const capacity = lists === 'all' ? 'admin' : undefined;
      expect(await listed({ permission: 'admin' })).toEqual({ [top]: capacity, [below]: capacity });
      expect(Object.keys(await listed({ permission: 'create_dataset' })).sort()).toEqual([top, below, edited].sort());
      expect(await listed({}, null)).toEqual({});
    });

    it('lists all organizations for system administrators', async () => {
      const found = await listed({}, await at.world.make.sysadmin());
      expect(Object.keys(found)).toEqual(expect.arrayContaining(names));
      expect(new Set(Object.values(found))).toEqual(new Set([lists === 'all' ? 'admin' : undefined]));
    });
  },
);

describe.each(ways('catalog.action_api.autocomplete', 'start', 'anywhere'))(
  'autocompletes with %j',
  (settings, match) => {
    let at: Tables;
    beforeAll(async () => {
      at = await tablesAt(settings);
      for (const [name, title] of [
        ['air-quality', 'Quality of the air'],
        ['river-levels', '水位と流量'],
        ['a-quiet_place%', 'Noise'],
      ] as const)
        await at.world.make.dataset({ name: name.replace(/%/, ''), title });
      await at.world.make.dataset({ name: 'hidden-quality', private: true, ownerOrganization: at.organization.id });
    });
    const found = async (q: string) =>
      (await at.world.result('package_autocomplete', { q })).map(
        ({ name, match_field }: Record<string, string>) => `${name} ${match_field}`,
      );

    it('match the beginning or any part of names and titles', async () => {
      const any = match === 'anywhere';
      expect(await found('air')).toEqual(['air-quality name']);
      expect(await found('QUAL')).toEqual([any ? 'air-quality name' : 'air-quality title']);
      expect(await found('LEVEL')).toEqual(any ? ['river-levels name'] : []);
      expect(await found('と流量')).toEqual(any ? ['river-levels title'] : []);
      expect(await found('水位')).toEqual(['river-levels title']);
      expect(await found('t_pl')).toEqual([]);
      expect(await found('iet_pla')).toEqual(any ? ['a-quiet_place name'] : []);
      expect(await found('i_t')).toEqual([]);
      expect(await found('')).toEqual(expect.arrayContaining(['air-quality name', 'river-levels name']));
      const { body } = await at.world.request('/api/2/util/dataset/autocomplete?incomplete=LEVEL');
      expect(body.ResultSet.Result).toHaveLength(any ? 1 : 0);
    });
  },
);
