/** Tests of the GraphQL search for any engine: pages, order, facets, highlights, refusals. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { World } from '../helpers/world.ts';
import { searchFacetTests } from './search_facets.ts';

export function searchConnectionTests(open: () => Promise<World>): void {
  let world: World;
  beforeAll(async () => {
    world = await open();
    const owner = await world.make.organization({ name: 'north', title: 'North Council' });
    for (let index = 0; index < 25; index += 1)
      await world.make.dataset({
        name: `river-${String(index).padStart(2, '0')}`,
        title: index % 5 === 0 ? 'Rivers' : 'Lakes',
        notes: `Of a river & <b>its</b> floods in 東京都. ${'More of it. '.repeat(20)}`,
        ownerOrganization: index % 2 ? owner.id : null,
        tags: [{ name: `tag ${index % 3}` }],
        resources: [{ url: 'http://a.example/x', name: 'Gauge readings' }],
      });
    await world.make.dataset({ name: 'other', title: 'Schools' });
  });
  afterAll(() => world.end());

  const PAGE = `query ($query: String, $filters: [String!], $where: DatasetConditions, $orderBy: [SearchOrder!], $first: Int, $after: String) {
  search(query: $query, filters: $filters, where: $where, orderBy: $orderBy, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes { name title organization { title } resources { name } }
  }
}`;
  async function walk(variables: Record<string, unknown>): Promise<string[]> {
    const names: string[] = [];
    for (let after: string | null = null; ; ) {
      const { body } = await world.graph(PAGE, { ...variables, after });
      expect(body.errors).toBeUndefined();
      names.push(...body.data.search.nodes.map((node: { name: string }) => node.name));
      if (!body.data.search.pageInfo.hasNextPage) return names;
      after = body.data.search.pageInfo.endCursor;
    }
  }

  it.each([
    [{ query: 'river' }, 25],
    [{ query: 'river', orderBy: { field: 'NAME', direction: 'DESC' } }, 25],
    [{ query: 'river', orderBy: [{ field: 'TITLE' }, { field: 'NAME' }] }, 25],
    [{ query: 'river', orderBy: { field: 'CREATED', direction: 'ASC' } }, 25],
    [{}, 26],
    [{ filters: ['organization:north', 'tags:"tag 1"'] }, 4],
    [{ where: { organizations: ['north', 'a "quoted" one'], tags: ['tag 1'], isOpen: false } }, 4],
    [{ where: { modifiedFrom: '2000-01-01', modifiedTo: '2001-01-01' } }, 0],
  ])('pages through the results of %j without losing or repeating any', async (variables, count) => {
    const whole = (await world.graph(PAGE, { ...variables, first: 100 })).body.data.search;
    expect(whole.totalCount).toBe(count);
    const names = whole.nodes.map((node: { name: string }) => node.name);
    expect(await walk({ ...variables, first: 7 })).toEqual(names);
    expect(new Set(names).size).toBe(count);
  });

  it('returns the best matches first', async () => {
    const { body } = await world.graph(PAGE, { query: 'river', first: 6 });
    expect(body.data.search.nodes.map((node: { title: string }) => node.title)).toEqual([
      ...Array(5).fill('Rivers'),
      'Lakes',
    ]);
  });

  it('counts values of all results, not only of the page', async () => {
    const { body } = await world.graph(
      '{ search(query: "river", first: 1) { facets(fields: ["organization", "tags"]) { field values(first: 2) { nodes { name displayName count } totalCount pageInfo { hasNextPage } } } } }',
    );
    expect(body.data.search.facets).toEqual([
      {
        field: 'organization',
        values: {
          nodes: [{ name: 'north', displayName: 'North Council', count: 12 }],
          totalCount: 1,
          pageInfo: { hasNextPage: false },
        },
      },
      {
        field: 'tags',
        values: {
          nodes: [
            { name: 'tag 0', displayName: 'tag 0', count: 9 },
            { name: 'tag 1', displayName: 'tag 1', count: 8 },
          ],
          totalCount: 3,
          pageInfo: { hasNextPage: true },
        },
      },
    ]);
  });

  it('highlights the matching words', async () => {
    const marked = async (query: string) => {
      const { body } = await world.graph(
        `query ($query: String) { search(query: $query, first: 1, orderBy: { field: NAME }) { edges { highlights { field pieces { text isMatch } } } } }`,
        { query },
      );
      return body.data.search.edges[0].highlights.map(({ field, pieces }: any) => [
        field,
        pieces.map(({ text, isMatch }: any) => (isMatch ? `[${text}]` : text)).join(''),
      ]);
    };
    expect(await marked('rivers flood')).toEqual([
      ['TITLE', '[Rivers]'],
      ['NOTES', expect.stringMatching(/^Of a \[river\] & <b>its<\/b> \[floods\] in 東京都\. More/)],
    ]);
    expect(await marked('京都')).toEqual([['NOTES', expect.stringContaining('東[京都].')]]);
    expect(await marked('text:gaug*')).toEqual([['RESOURCES', '[Gauge] readings']]);
    expect(await marked('text:g?ug*')).toEqual([['RESOURCES', '[Gauge] readings']]);
    expect(await marked('text:*ead AND gauge')).toEqual([['RESOURCES', '[Gauge] [readings]']]);
    expect(await marked('notes:r*ver')).toEqual([
      ['TITLE', '[Rivers]'],
      ['NOTES', expect.stringMatching(/^Of a \[river\] & <b>its<\/b> floods/)],
    ]);
    expect(await marked('')).toEqual([]);
  });

  it('needs as many statements for a page of many datasets as for one of few', async () => {
    const statements = (first: number) => world.statementsOf(() => world.graph(PAGE, { query: 'river', first }));
    await statements(1);
    expect((await statements(20)).length).toBe((await statements(2)).length);
  });

  it('refuses cursors of other searches, and has no internal error for forged ones', async () => {
    const { body } = await world.graph(PAGE, { query: 'river', first: 1 });
    const cursor: string = body.data.search.pageInfo.endCursor;
    const refused = async (variables: Record<string, unknown>) =>
      (await world.graph(PAGE, variables)).body.errors?.[0].extensions.code;
    expect(await refused({ query: 'flood', after: cursor })).toBe('VALIDATION');
    const [mark, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string];
    const keys = JSON.parse(place) as string[];
    const odd = ['x', '', '1e999', 'NaN', '99999999999999999999', '-99999999999999999', '\0', '1'.repeat(1000)];
    for (const value of odd) {
      for (let index = 0; index < keys.length; index += 1) {
        const made = [mark, JSON.stringify(keys.with(index, value))];
        const after = Buffer.from(JSON.stringify(made)).toString('base64url');
        expect(['VALIDATION', undefined]).toContain(await refused({ query: 'river', after }));
      }
    }
    const short = Buffer.from(JSON.stringify([mark, '["1"]'])).toString('base64url');
    expect(await refused({ query: 'river', after: short })).toBe('VALIDATION');
  });

  it('returns an error code for each kind of invalid search', async () => {
    const code = async (query: string) => (await world.graph(query)).body.errors[0].extensions.code;
    expect(await code('{ search(query: "title:") { totalCount } }')).toBe('SEARCH');
    expect(await code('{ search(first: 101) { totalCount } }')).toBe('LIMIT');
    expect(await code('{ search(where: { groups: [] }) { totalCount } }')).toBe('VALIDATION');
    expect(await code('{ search(includePrivate: true) { totalCount } }')).toBe('VALIDATION');
    expect(await code('{ search { facets(fields: ["notes", "text"]) { field } } }')).toBe('VALIDATION');
  });

  searchFacetTests(() => world);
}
