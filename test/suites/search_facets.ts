/** Tests of facets and date histograms of the GraphQL search for any engine: all values, page by page. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { World } from '../helpers/world.ts';

const COUNT = 40;
const two = (value: number) => String(value).padStart(2, '0');
/**
 * Times at the edges of periods, some with microseconds, and one far in the past. Some are in one second, with and without a
 * fraction: by code points, the one without comes last.
 */
const createdAt = (n: number): string =>
  n === 0
    ? '1987-03-01T00:00:00Z'
    : n % 4 === 0
      ? `20${two(10 + (n % 3))}-12-31T23:59:59${n % 8 === 0 ? '' : '.999999'}Z`
      : `20${two(10 + (n % 3))}-${two(1 + (n % 12))}-${two(1 + (n % 27))}T00:00:00Z`;

/** Runs in the world of search_connection.ts. */
export function searchFacetTests(open: () => World): void {
  describe('facets', () => {
    let world: World;
    beforeAll(async () => {
      world = open();
      for (let n = 0; n < COUNT; n += 1)
        await world.make.dataset({
          name: `facet-${two(n)}`,
          title: 'Facetted',
          author: `Author ${two(n % 13)}`,
          tags: [{ name: `label ${two(n % 17)}` }, { name: n % 2 ? 'Odd label' : 'even label' }],
          extras: [{ key: 'shelf', value: `Shelf ${two(n % 11)}` }],
          resources: [{ url: `http://a.example/${two(n % 19)}` }],
        });
      await world.make.dataset({
        name: 'facet-hidden',
        title: 'Facetted',
        author: 'Hidden author',
        private: true,
        ownerOrganization: (await world.make.organization({ name: 'hidden-owner' })).id,
        tags: [{ name: 'hidden label' }],
        extras: [{ key: 'shelf', value: 'Hidden shelf' }],
        resources: [{ url: 'http://a.example/hidden' }],
      });
      const { sql } = world.app.callAs(world.system);
      const names = [...Array.from({ length: COUNT }, (_, n) => `facet-${two(n)}`), 'facet-hidden'];
      await sql.rows(
        {
          text: `UPDATE dataset_search s SET created_at = c.at, written = pg_current_xact_id()
            FROM unnest($1::text[], $2::timestamptz[]) AS c(name, at) WHERE s.name = c.name`,
        },
        [names, names.map((name, n) => (name === 'facet-hidden' ? '1901-01-01T00:00:00Z' : createdAt(n)))],
      );
    });

    const ARGS =
      '$field: [String!]!, $first: Int, $after: String, $last: Int, $before: String, $contains: String, $orderBy: SearchFacetOrder, $minCount: Int';
    const VALUES = `query (${ARGS}) { search(query: "title:facetted") { facets(fields: $field) { field values(first: $first, after: $after, last: $last, before: $before, contains: $contains, orderBy: $orderBy, minCount: $minCount) {
      nodes { name count } edges { cursor } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;
    const valuesOf = async (variables: Record<string, unknown>) => {
      const { body } = await world.graph(VALUES, variables);
      expect([variables, body.errors]).toEqual([variables, undefined]);
      return body.data.search.facets[0].values;
    };
    type Value = { name: string; count: number };

    /** Counts from the list of all values that package_search returns. */
    const counted = async (field: string): Promise<Value[]> => {
      const { facets } = await world.result('package_search', {
        fq: 'title:facetted',
        'facet.field': [field],
        'facet.limit': -1,
        rows: 0,
      });
      return Object.entries(facets[field] as Record<string, number>).map(([name, count]) => ({ name, count }));
    };
    const inOrder = (values: Value[], order: string) =>
      values.toSorted((a, b) => (order === 'COUNT' ? b.count - a.count : 0) || (a.name < b.name ? -1 : 1));

    const FIELDS = [
      'tags',
      'author',
      'shelf',
      'res_url',
      'metadata_created',
      'metadata_modified',
      'site_id',
      'vocab_none',
      'nothing',
    ];
    it.each(FIELDS.flatMap((field) => ['COUNT', 'VALUE'].map((orderBy) => [field, orderBy] as const)))(
      'page through all values of %s by %s',
      async (field, orderBy) => {
        const all = inOrder(await counted(field), orderBy);
        const paged: Value[] = [];
        for (let after: string | null = null; ; ) {
          const page = await valuesOf({ field: [field], first: 3, orderBy, after });
          expect(page.totalCount).toBe(all.length);
          expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
          paged.push(...page.nodes);
          if (!page.pageInfo.hasNextPage) break;
          after = page.pageInfo.endCursor;
        }
        expect(paged).toEqual(all);
        const back: Value[] = [];
        for (let before: string | null = null; ; ) {
          const page = await valuesOf({ field: [field], last: 4, orderBy, before });
          back.unshift(...page.nodes);
          if (!page.pageInfo.hasPreviousPage) break;
          before = page.pageInfo.startCursor;
        }
        expect(back).toEqual(all);
      },
    );

    it.each([
      ['tags', 'LABEL 1', 0],
      ['tags', 'odd', 0],
      ['author', 'thor 0', 0],
      ['shelf', 'SHELF 1', 0],
      ['res_url', '/1', 0],
      ['tags', '', 3],
      ['shelf', '', 4],
      ['shelf', '%', 0],
      ['author', "'", 0],
    ])('find values of %s that contain %j and occur at least %i times', async (field, contains, minCount) => {
      const all = inOrder(await counted(field), 'COUNT').filter(
        ({ name, count }) => name.toLowerCase().includes(contains.toLowerCase()) && count >= minCount,
      );
      const page = await valuesOf({ field: [field], first: 2, contains, minCount: Math.max(1, minCount) });
      expect([page.nodes, page.totalCount]).toEqual([all.slice(0, 2), all.length]);
      const { nodes } = await valuesOf({ field: [field], first: 100, contains, minCount: Math.max(1, minCount) });
      expect(nodes).toEqual(all);
    });

    it('include values of other public datasets with a minimum of 0', async () => {
      const page = await valuesOf({ field: ['tags'], first: 100, minCount: 0, orderBy: 'VALUE' });
      expect(page.nodes.filter(({ count }: Value) => count === 0).map(({ name }: Value) => name)).toEqual([
        'tag 0',
        'tag 1',
        'tag 2',
      ]);
      expect(page.totalCount).toBe(page.nodes.length);
      const last = await valuesOf({
        field: ['tags'],
        first: 2,
        minCount: 0,
        after: page.edges.at(-3).cursor,
        orderBy: 'VALUE',
      });
      expect([last.nodes, last.pageInfo.hasNextPage]).toEqual([page.nodes.slice(-2), false]);
    });

    it('contain nothing of hidden datasets', async () => {
      const found: unknown[] = [];
      for (const field of FIELDS)
        for (const minCount of [0, 1]) found.push(await valuesOf({ field: [field], first: 100, minCount }));
      const { body } = await world.graph(
        '{ search { dateHistogram(of: CREATED, interval: YEAR, direction: ASC) { nodes { from } } } }',
      );
      expect(JSON.stringify([found, body]).match(/hidden|1901/gi)).toBeNull();
      expect(body.data.search.dateHistogram.nodes[0].from).toBe('1987-01-01T00:00:00.000Z');
    });

    it('of several fields need as many statements as those of one', async () => {
      const ask = (fields: string) =>
        world.graph(
          `{ search(query: "title:facetted", first: 1) { facets(fields: [${fields}]) { values { totalCount } } } }`,
        );
      await ask('"tags"');
      const one = await world.statementsOf(() => ask('"tags"'));
      const more = await world.statementsOf(() => ask('"tags", "res_format", "license_id"'));
      expect(more.length).toBe(one.length);
    });

    describe('over time', () => {
      type Bucket = { from: string; to: string; count: number };
      const HISTOGRAM = `query ($of: SearchDateField!, $interval: TimelineInterval!, $direction: OrderDirection, $first: Int, $after: String, $last: Int, $before: String) {
        search(query: "title:facetted") { dateHistogram(of: $of, interval: $interval, direction: $direction, first: $first, after: $after, last: $last, before: $before) {
          nodes { from to count } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
      const pageOf = async (variables: Record<string, unknown>) => {
        const { body } = await world.graph(HISTOGRAM, variables);
        expect([variables, body.errors]).toEqual([variables, undefined]);
        return body.data.search.dateHistogram;
      };
      const expected = (interval: string): Promise<Bucket[]> =>
        world.app.callAs(world.system).sql.rows<Bucket>(
          {
            text: `SELECT to_char(start, 'YYYY-MM-DD"T00:00:00.000Z"') AS "from",
                to_char(start + ('1 ' || $1)::interval - interval '1 ms', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "to", count(*)::int AS count
              FROM (SELECT date_trunc($1, created_at AT TIME ZONE 'UTC') AS start FROM dataset_search WHERE title = 'Facetted' AND public) s
              GROUP BY start ORDER BY start`,
          },
          [interval.toLowerCase()],
        );

      it.each(['DAY', 'WEEK', 'MONTH', 'YEAR'])('count by %s as searches within a period do', async (interval) => {
        const all = await expected(interval);
        const paged: Bucket[] = [];
        for (let after: string | null = null; ; ) {
          const page = await pageOf({ of: 'CREATED', interval, direction: 'ASC', first: 5, after });
          expect(page.totalCount).toBe(all.length);
          paged.push(...page.nodes);
          if (!page.pageInfo.hasNextPage) break;
          after = page.pageInfo.endCursor;
        }
        expect(paged).toEqual(all);
        const { nodes } = await pageOf({ of: 'CREATED', interval, first: 100 });
        expect(nodes).toEqual(all.toReversed());
        const { pageInfo } = await pageOf({ of: 'CREATED', interval, last: 2 });
        const before = await pageOf({ of: 'CREATED', interval, last: 2, before: pageInfo.startCursor });
        expect(before.nodes).toEqual(all.toReversed().slice(-4, -2));
        const counts = all.map(
          ({ from, to }, at) =>
            `c${at}: search(query: "title:facetted", first: 1, where: { createdFrom: "${from}", createdTo: "${to}" }) { totalCount }`,
        );
        const found: number[] = [];
        for (let at = 0; at < counts.length; at += 5) {
          const { body } = await world.graph(`{ ${counts.slice(at, at + 5).join(' ')} }`);
          expect(body.errors).toBeUndefined();
          found.push(...Object.values<{ totalCount: number }>(body.data).map(({ totalCount }) => totalCount));
        }
        expect(found).toEqual(all.map(({ count }) => count));
      });

      it('by modification time count all datasets', async () => {
        const page = await pageOf({ of: 'MODIFIED', interval: 'YEAR' });
        expect(page.nodes.reduce((sum: number, { count }: Bucket) => sum + count, 0)).toBe(COUNT);
        const [{ from, to }] = page.nodes;
        const where = { modifiedFrom: from, modifiedTo: to };
        const { body } = await world.graph(
          'query ($where: DatasetConditions) { search(query: "title:facetted", where: $where) { totalCount } }',
          { where },
        );
        expect(body.data.search.totalCount).toBe(page.nodes[0].count);
      });

      it('accept times up to the year 9999 and odd cursors, and refuse invalid ones', async () => {
        const where = '{ createdFrom: "2012-12-31T23:59:59.999Z", createdTo: "9999-12-31T23:59:59.999Z" }';
        const { body } = await world.graph(`{ search(query: "title:facetted", where: ${where}) { totalCount } }`);
        expect(body.data.search.totalCount).toBeGreaterThan(0);
        for (const day of ["'; --", '', '9999-99-99', '漢字'])
          await pageOf({
            of: 'CREATED',
            interval: 'DAY',
            after: Buffer.from(JSON.stringify(['CREATED DAY DESC', day])).toString('base64url'),
          });
        const wrong = await world.graph(HISTOGRAM, { of: 'CREATED', interval: 'DAY', after: 'x' });
        expect(wrong.body.errors[0].extensions.code).toBe('VALIDATION');
      });
    });

    it('refuse invalid arguments, and accept odd cursors', async () => {
      for (const [variables, code] of [
        [{ contains: 'x'.repeat(201) }, 'VALIDATION'],
        [{ minCount: -1 }, 'VALIDATION'],
        [{ after: 'x' }, 'VALIDATION'],
        [{ after: Buffer.from('[1]').toString('base64url') }, 'VALIDATION'],
        [{ first: 101 }, 'LIMIT'],
        [{ first: -1 }, 'LIMIT'],
        [{ last: 2, after: 'x' }, 'VALIDATION'],
        [{ field: Array.from({ length: 51 }, (_, n) => `f${n}`) }, 'VALIDATION'],
        [{ field: Array.from({ length: 21 }, (_, n) => `f${n}`) }, 'SEARCH'],
        [{ field: ['notes', 'text'] }, 'VALIDATION'],
      ] as const) {
        const { body } = await world.graph(VALUES, { field: ['tags'], ...variables });
        expect([variables, body.errors?.[0].extensions.code]).toEqual([variables, code]);
      }
      for (const key of [
        [9e15, 'x'],
        [-1, ''],
        [1, "'; --"],
      ])
        for (const field of FIELDS)
          for (const orderBy of ['COUNT', 'VALUE']) {
            const cursor = Buffer.from(JSON.stringify([orderBy.toLowerCase(), ...key])).toString('base64url');
            await valuesOf({ field: [field], after: cursor, orderBy });
            await valuesOf({ field: [field], before: cursor, last: 3, orderBy });
          }
    });
  });
}
