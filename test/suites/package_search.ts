/** Tests of package_search for any engine: queries, fields, facets, order and visibility. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import type { World } from '../helpers/world.ts';

export function packageSearchTests(open: () => Promise<World>): void {
  let world: World;
  let admin: TestUser;
  beforeAll(async () => {
    world = await open();
    admin = await world.make.sysadmin();
    const owner = await world.make.organization({ name: 'north', title: 'North Council' });
    const group = await world.make.group({ name: 'nature', title: 'Nature & Parks' });
    await world.make.dataset({
      name: 'river-levels',
      title: 'River levels',
      notes: 'Measured daily. Señal de tráfico.',
      author: 'Ann Smith',
      licenseId: 'cc-by',
      ownerOrganization: owner.id,
      groups: [{ name: group.name }],
      tags: [{ name: 'water' }, { name: 'Water quality' }],
      extras: [
        { key: 'region', value: 'north east' },
        { key: 'year', value: '2004' },
      ],
      resources: [
        { url: 'http://files.example/a.csv', format: 'csv', name: 'Gauge file', description: 'all gauges' },
        { url: 'http://files.example/b.json', format: 'json' },
      ],
    });
    await world.make.dataset({
      name: 'flood-maps',
      title: 'Flood maps',
      notes: 'Where the rivers rise. 東京都の洪水ハザードマップ',
      tags: [{ name: 'water' }],
      extras: [{ key: 'year', value: '2010' }],
    });
    await world.make.dataset({ name: 'schools', title: 'Schools', notes: 'wi-fi in open-data schools, C++ 2.0' });
  });
  afterAll(() => world.end());

  const search = (params: Record<string, unknown>, as?: TestUser) =>
    world.result('package_search', params, { as: as ?? null });
  const names = async (params: Record<string, unknown>, as?: TestUser): Promise<string[]> =>
    (await search(params, as)).results.map((dataset: { name: string }) => dataset.name);
  const refusal = async (params: Record<string, unknown>) => (await world.action('package_search', params)).body.error;

  describe('package_search', () => {
    it('finds everything without a query, the last modified first', async () => {
      const found = await search({});
      expect(found).toMatchObject({
        count: 3,
        sort: 'score desc, metadata_modified desc',
        facets: {},
        search_facets: {},
      });
      expect(found.results.map((dataset: { name: string }) => dataset.name)).toEqual([
        'schools',
        'flood-maps',
        'river-levels',
      ]);
      expect(found.results[2]).toEqual(await world.result('package_show', { id: 'river-levels' }));
    });

    it.each<[string, string[]]>([
      ['river', ['river-levels', 'flood-maps']],
      ['RIVERS', ['river-levels', 'flood-maps']],
      ['rivers flood', ['flood-maps']],
      ['river -flood', ['river-levels']],
      ['senal trafico', ['river-levels']],
      ['wifi', ['schools']],
      ['opendata', ['schools']],
      ['"measured daily"', ['river-levels']],
      ['"daily measured"', []],
      ['東京', ['flood-maps']],
      ['京都の洪水', ['flood-maps']],
      ['洪', ['flood-maps']],
      ['プ', ['flood-maps']],
      ['東都', []],
      ['ﾊｻﾞｰﾄﾞ', ['flood-maps']],
      ['*', []],
      ['xyzzy', []],
      ['title:river', ['river-levels']],
      ['notes:river', ['flood-maps']],
      ['title:(river OR flood)', ['flood-maps', 'river-levels']],
      ['name:river-levels', ['river-levels']],
      ['name:*-maps', ['flood-maps']],
      ['title:riv*', ['river-levels']],
      ['title:r?v*', ['river-levels']],
      ['text:*ugg*', []],
      ['text:g?u* AND tags:water', ['river-levels']],
      ['title:zz?z OR title:flood', ['flood-maps']],
      ['title:zz?z AND title:flood', []],
      ['title:rivr~1', ['river-levels']],
      ['title:flodo~1', ['flood-maps']],
      ['title:rxxer~1', []],
      ['author:smyth~', ['river-levels']],
      ['author:s?ith', ['river-levels']],
      ['extras_region:*ast', ['river-levels']],
      ['tags:water', ['flood-maps', 'river-levels']],
      ['tags:"Water quality"', ['river-levels']],
      ['tags:Water*', ['river-levels']],
      ['-tags:water', ['schools']],
      ['groups:nature', ['river-levels']],
      ['organization:north', ['river-levels']],
      ['res_format:CSV', ['river-levels']],
      ['res_name:gauge', ['river-levels']],
      ['res_url:http\\://files.example/a.csv', ['river-levels']],
      ['license_id:cc-by', ['river-levels']],
      ['isopen:true', ['river-levels']],
      ['author:smith', ['river-levels']],
      ['extras_region:east', ['river-levels']],
      ['region:"north east"', ['river-levels']],
      ['region:north', []],
      ['year:[2005 TO *]', ['flood-maps']],
      ['extras_year:{2004 TO 2010]', ['flood-maps']],
      ['num_resources:[1 TO *]', ['river-levels']],
      ['num_tags:0', ['schools']],
      ['metadata_modified:[NOW-1DAY TO NOW+1DAY]', ['schools', 'flood-maps', 'river-levels']],
      ['metadata_created:[* TO 2001-01-01T00:00:00Z]', []],
      ['metadata_created:[0001-01-01T00:00:00Z TO 1900-12-31T00:00:00Z]', []],
      ['metadata_modified:[1753-01-01T00:00:00Z TO *]', ['schools', 'flood-maps', 'river-levels']],
      ['author:*', ['river-levels']],
      ['author:[* TO *]', ['river-levels']],
      ['res_name:*', ['river-levels']],
      ['res_description:[* TO *]', ['river-levels']],
      ['-res_name:*', ['schools', 'flood-maps']],
      ['res_type:*', []],
      ['notes:[* TO *]', ['schools', 'flood-maps', 'river-levels']],
      ['title:[* TO *]', ['schools', 'flood-maps', 'river-levels']],
      ['capacity:public AND state:active', ['schools', 'flood-maps', 'river-levels']],
      ['notes:"measured señal"~2', ['river-levels']],
      ['bogus:x', []],
      ['vocab_none:x', []],
    ])('finds by %s', async (q, expected) => {
      expect(await names({ q })).toEqual(expected);
    });

    it('matches fuzzy terms in text fields, and refuses them in other fields', async () => {
      for (const defType of ['lucene', 'edismax'])
        expect(await names({ q: 'rivr~1', defType, sort: 'name asc' })).toEqual(['flood-maps', 'river-levels']);
      expect(await names({ q: 'rivr~1 AND notes:rise', qf: 'title tags text' })).toEqual(['flood-maps']);
      const refused = 'fuzzy terms are not supported in this field';
      expect((await refusal({ q: 'title:river AND tags:watr~1' })).message).toBe(
        `Search error: q: ${refused} (column 22)`,
      );
      expect((await refusal({ q: 'watr~1', qf: 'tags', defType: 'edismax' })).message).toBe(
        `Search error: q: ${refused} (column 1)`,
      );
    });

    it('ranks title and name above notes', async () => {
      expect(await names({ q: 'flood OR river', mm: '1' })).toEqual(['flood-maps', 'river-levels']);
      expect(await names({ q: 'river' })).toEqual(['river-levels', 'flood-maps']);
    });

    it('applies every filter, and ignores filters by capacity', async () => {
      expect(await names({ fq: 'tags:water', fq_list: ['num_resources:0'] })).toEqual(['flood-maps']);
      expect(await names({ fq: ['tags:water', '+res_format:JSON'] })).toEqual(['river-levels']);
      expect((await search({ fq: 'capacity:private' })).count).toBe(3);
    });

    it('sorts and pages', async () => {
      expect(await names({ sort: 'name asc', rows: 2 })).toEqual(['flood-maps', 'river-levels']);
      expect(await names({ sort: 'name asc', rows: 2, start: 2 })).toEqual(['schools']);
      expect(await names({ sort: 'title_string desc' })).toEqual(['schools', 'river-levels', 'flood-maps']);
      expect(await names({ sort: 'year desc, name asc' })).toEqual(['flood-maps', 'river-levels', 'schools']);
      expect(await names({ sort: 'author asc, metadata_created desc' })).toEqual([
        'river-levels',
        'schools',
        'flood-maps',
      ]);
      expect(await search({ rows: 0 })).toMatchObject({ count: 3, results: [] });
      expect(await search({ start: 1000 })).toMatchObject({ count: 3, results: [] });
    });

    it('counts values, with their display names', async () => {
      const fields = ['tags', 'organization', 'groups', 'license_id', 'res_format', 'year', 'capacity'];
      const { facets, search_facets } = await search({ 'facet.field': fields, rows: 0 });
      expect(facets).toEqual({
        tags: { water: 2, 'Water quality': 1 },
        organization: { north: 1 },
        groups: { nature: 1 },
        license_id: { 'cc-by': 1 },
        res_format: { CSV: 1, JSON: 1 },
        year: { 2004: 1, 2010: 1 },
        capacity: { public: 3 },
      });
      expect(search_facets.organization).toEqual({
        title: 'organization',
        items: [{ name: 'north', display_name: 'North Council', count: 1 }],
      });
      expect(search_facets.groups.items[0].display_name).toBe('Nature & Parks');
      expect(search_facets.license_id.items[0].display_name).toBe('Creative Commons Attribution');
      expect(search_facets.tags.items.map((item: { name: string }) => item.name)).toEqual(['water', 'Water quality']);
    });

    it('counts values within the results, by limit and minimum count', async () => {
      const tags = async (params: Record<string, unknown>) =>
        (await search({ 'facet.field': ['tags'], rows: 0, ...params })).facets.tags;
      expect(await tags({ q: 'flood' })).toEqual({ water: 1 });
      expect(await tags({ q: 'flood', 'facet.mincount': 0 })).toEqual({ water: 1, 'Water quality': 0 });
      expect(await tags({ 'facet.limit': 1 })).toEqual({ water: 2 });
      expect(await tags({ 'facet.mincount': 2 })).toEqual({ water: 2 });
      expect(await tags({ 'facet.limit': 0 })).toEqual({});
      expect((await search({ 'facet.field': ['tags'], facet: false })).facets).toEqual({});
    });

    it('honours qf, mm, tie, bf, boost and defType', async () => {
      expect(await names({ q: 'river', qf: 'title' })).toEqual(['river-levels']);
      expect(await names({ q: 'river', qf: 'bogus' })).toEqual([]);
      expect(await names({ q: 'flood daily schools', mm: '1', qf: 'text' })).toHaveLength(3);
      expect(await names({ q: 'river', bf: 'recip(num_resources,1e6,100,1)' })).toEqual(['flood-maps', 'river-levels']);
      expect(await names({ q: 'river', boost: 'sub(1,num_resources)' })).toEqual(['flood-maps', 'river-levels']);
      expect(await names({ q: 'title:flood wi', defType: 'edismax', mm: '1' })).toEqual(['flood-maps', 'schools']);
      expect(await names({ q: 'river', defType: 'lucene' })).toHaveLength(2);
      expect(await names({ q: 'river', wt: 'json', fl: 'id', ext_foo: 'x' })).toHaveLength(2);
    });

    it('refuses unsupported and invalid parameters by name', async () => {
      expect(await refusal({ bogus: 1 })).toMatchObject({ __type: 'Validation Error', bogus: expect.anything() });
      expect(Object.keys(await refusal({ constructor: 1 }))).toContain('constructor');
      expect(await refusal({ q: 'title:' })).toEqual({
        __type: 'Search Error',
        message: expect.stringMatching(/^Search error: q: .*column 7/),
      });
      for (const q of ['{!tag=x}tags:y', '{!dismax}river', ' {!lucene q.op=AND}river'])
        for (const defType of [undefined, 'dismax', 'edismax', 'lucene'])
          expect(await refusal({ q, ...(defType && { defType }) })).toEqual({
            __type: 'Search Error',
            message: expect.stringMatching(/^Search error: q: local parameters .*\(column [12]\)$/),
          });
      // Named as in the request, also if the GraphQL schema has something of that name.
      for (const name of ['group', 'debugQuery', 'databaseId'])
        expect(await refusal({ [name]: 1 })).toEqual({
          __type: 'Validation Error',
          message: `${name}: Not a parameter of package_search`,
        });
      expect(await refusal({ start: 2 ** 31 })).toMatchObject({ start: ['Must be at most 2147483647'] });
      expect(await refusal({ rows: 1e300 })).toMatchObject({ rows: ['Must be at most 2147483647'] });
      expect(await refusal({ fq: '(' })).toMatchObject({ message: expect.stringMatching(/fq: .*column/) });
      expect(await refusal({ q: 'x', tie: 'y' })).toMatchObject({ message: expect.stringContaining('tie:') });
      expect(await refusal({ q: 'x', mm: 'y' })).toMatchObject({ message: expect.stringContaining('mm:') });
      expect(await refusal({ q: 'x', bf: 'rord(x)' })).toMatchObject({
        message: expect.stringContaining('bf: the function rord'),
      });
      expect(await refusal({ q: 'x', defType: 'func' })).toMatchObject({ message: expect.stringContaining('defType') });
      expect(await refusal({ sort: 'name' })).toMatchObject({
        __type: 'Search Error',
        message: expect.stringContaining('sort:'),
      });
      expect(await refusal({ sort: 'tags asc' })).toMatchObject({
        message: expect.stringContaining('cannot be sorted by tags'),
      });
      expect(await refusal({ q: 'num_resources:many' })).toMatchObject({
        message: expect.stringContaining('is not an integer'),
      });
      expect(await refusal({ q: 'metadata_modified:x' })).toMatchObject({
        message: expect.stringContaining('is not a time'),
      });
      expect(await refusal({ wt: 'xml' })).toMatchObject({ wt: ['Only json is supported'] });
      expect(await refusal({ rows: 1001 })).toMatchObject({
        __type: 'Validation Error',
        message: expect.stringContaining('catalog.limits.rows'),
      });
      expect(await refusal({ rows: 'x', start: -1 })).toMatchObject({
        rows: ['Invalid integer'],
        start: ['Must be a natural number'],
      });
      expect(await refusal({ 'facet.field': ['notes', 'text'] })).toMatchObject({ 'facet.field': expect.anything() });
      expect(await refusal({ include_private: true })).toMatchObject({
        include_private: ['Requires a signed-in user'],
      });
    });
  });

  describe('visibility', () => {
    it('shows private datasets and drafts only to authorized callers who request them', async () => {
      const member = await world.make.user();
      const creator = await world.make.user();
      const other = await world.make.user();
      const owner = await world.make.organization({ members: { [member.id]: 'member', [creator.id]: 'editor' } });
      await world.result(
        'package_create',
        { name: 'hidden', owner_org: owner.id, private: true, tags: [{ name: 'secret' }] },
        { as: creator },
      );
      await world.result(
        'package_create',
        { name: 'unfinished', owner_org: owner.id, tags: [{ name: 'early' }] },
        { as: creator },
      );
      await world.result('package_patch', { id: 'unfinished', state: 'draft' }, { as: creator });
      const seen = async (params: Record<string, unknown>, as?: TestUser) =>
        names({ fq: 'tags:(secret OR early)', sort: 'name asc', ...params }, as);
      for (const q of ['*:*', 'capacity:private', 'private:true', 'state:draft', 'name:hidden', 'name:unfinished']) {
        for (const user of [undefined, other, member, creator, admin]) expect(await seen({ q }, user)).toEqual([]);
      }
      const facets = async (params: Record<string, unknown>, as?: TestUser) =>
        Object.keys(
          (await search({ 'facet.field': ['tags'], 'facet.mincount': 0, rows: 0, ...params }, as)).facets.tags,
        ).sort();
      expect(await facets({})).toEqual(['Water quality', 'water']);
      expect(await facets({ include_private: true }, other)).toEqual(['Water quality', 'water']);
      expect(await seen({ include_private: true }, other)).toEqual([]);
      expect(await seen({ include_private: true }, member)).toEqual(['hidden']);
      expect(await seen({ include_drafts: true }, member)).toEqual([]);
      expect(await seen({ include_drafts: true }, creator)).toEqual(['unfinished']);
      expect(await seen({ include_drafts: true, include_private: true }, creator)).toEqual(['hidden', 'unfinished']);
      expect(await seen({ include_drafts: true, include_private: true }, admin)).toEqual(['hidden', 'unfinished']);
      expect(await seen({ include_drafts: true })).toEqual([]);
    });
  });

  describe('the next request', () => {
    const tags = async () => (await search({ 'facet.field': ['tags', 'organization', 'groups'], rows: 0 })).facets;

    it('finds new datasets, and no deleted, purged, private or draft ones', async () => {
      const owner = await world.make.organization();
      for (const [name, hide] of [
        ['gone-deleted', () => world.result('package_delete', { id: 'gone-deleted' }, { as: admin })],
        ['gone-private', () => world.result('package_patch', { id: 'gone-private', private: true }, { as: admin })],
        ['gone-draft', () => world.result('package_patch', { id: 'gone-draft', state: 'draft' }, { as: admin })],
        ['gone-purged', () => world.result('dataset_purge', { id: 'gone-purged' }, { as: admin })],
      ] as const) {
        const before = await search({ q: 'quokka', rows: 0 });
        await world.result(
          'package_create',
          { name, title: 'Quokka', owner_org: owner.name, tags: [{ name: `of ${name}` }] },
          { as: admin },
        );
        expect(await names({ q: 'quokka' })).toEqual([name]);
        expect((await tags()).tags[`of ${name}`]).toBe(1);
        const { count } = await search({ rows: 0 });
        await hide();
        expect((await search({ q: 'quokka', rows: 0 })).count).toBe(before.count);
        expect((await tags()).tags[`of ${name}`]).toBeUndefined();
        expect((await search({ rows: 0 })).count).toBe(count - 1);
      }
    });

    it('knows renamed groups and organizations, and deleted tags', async () => {
      await world.result('group_create', { name: 'old-group' }, { as: admin });
      await world.result('organization_create', { name: 'old-org' }, { as: admin });
      await world.result(
        'package_create',
        { name: 'moving', owner_org: 'old-org', groups: [{ name: 'old-group' }], tags: [{ name: 'passing' }] },
        { as: admin },
      );
      await world.result('group_patch', { id: 'old-group', name: 'new-group' }, { as: admin });
      await world.result('organization_patch', { id: 'old-org', name: 'new-org' }, { as: admin });
      expect(await names({ q: 'groups:new-group AND organization:new-org' })).toEqual(['moving']);
      expect(await names({ q: 'groups:old-group OR organization:old-org' })).toEqual([]);
      await world.result('tag_delete', { id: 'passing' }, { as: admin });
      expect(await names({ q: 'tags:passing' })).toEqual([]);
      await world.result('member_delete', { id: 'new-group', object: 'moving', object_type: 'package' }, { as: admin });
      expect(await names({ q: 'groups:new-group' })).toEqual([]);
      await world.result('organization_delete', { id: 'new-org' }, { as: admin });
      expect(await names({ q: 'organization:new-org' })).toEqual([]);
      expect(await tags()).toMatchObject({ organization: expect.not.objectContaining({ 'new-org': 1 }) });
    });
  });
}
