/** Page 1,000 of a search costs as much as page 1: the same statements and about as many rows read, counted by PostgreSQL. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Sql } from '../../src/infra/postgres/db.ts';
import type { Call } from '../../src/kernel/call.ts';
import { type SearchConnectionArgs, searchConnection } from '../../src/search/find/connection.service.ts';
import { createWorld, type World } from '../helpers/world.ts';

const ROWS = 20_020;

let world: World;
beforeAll(async () => {
  world = await createWorld();
  const fill = (text: string) =>
    world.database.sql.rows({ text: `INSERT INTO ${text} FROM generate_series(1, ${ROWS}) AS i` });
  const at = `timestamptz '2020-01-01' + i * interval '1 minute'`;
  await fill(
    `dataset (id, name, title, created_at, modified_at, revision_id) SELECT 'd' || i, 'n' || i, 't' || i, ${at}, ${at}, 'r'`,
  );
  await fill(
    `dataset_document (dataset_id, name, title, type, state, private, created_at, modified_at, version, document)
      SELECT 'd' || i, 'n' || i, 't' || i, 'dataset', 'active', false, ${at}, ${at}, 1, '{}'`,
  );
  await fill(
    `dataset_search (dataset_id, public, state, private, name, title, created_at, modified_at, resource_count, tag_count,
      length_factor, facets, words, field_words)
      SELECT 'd' || i, true, 'active', false, 'n' || i, 't' || i, ${at}, ${at}, 0, 0, 1, '{}',
        CASE WHEN i % 10 = 0 THEN '''river'':1A'::tsvector ELSE ''::tsvector END, ''`,
  );
  for (const table of ['dataset_document', 'dataset_search'])
    await world.database.sql.rows({ text: `VACUUM ANALYZE ${table}` });
});
afterAll(() => world.end());

interface Plan {
  'Node Type': string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const rowsRead = (plan: Plan): number =>
  (/Scan$/.test(plan['Node Type']) && !/CTE|Subquery|Bitmap Index/.test(plan['Node Type'])
    ? ((plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)) * (plan['Actual Loops'] ?? 0)
    : 0) + (plan.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), 0);

/** Cost of a page: its statements, and the rows that their plans read. */
async function costOf(args: SearchConnectionArgs): Promise<{ statements: number; rows: number }> {
  let [statements, rows] = [0, 0];
  const sql: Sql = {
    async rows({ text }, values = []) {
      const [row] = await world.database.sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        { text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}` },
        values,
      );
      statements += 1;
      rows += rowsRead(row!['QUERY PLAN'][0].Plan);
      return world.database.sql.rows({ text }, values);
    },
  };
  const call: Call = { ...world.app.callAs(world.system), sql };
  await (await searchConnection(call, args)).page();
  return { statements, rows };
}

/** The cursor after `count` datasets. */
async function cursorBehind(count: number, args: SearchConnectionArgs): Promise<string> {
  const call = world.app.callAs(world.system);
  let after: string | null = null;
  for (let seen = 0; seen < count; ) {
    const found = await searchConnection(call, { ...args, first: Math.min(1_000, count - seen), after });
    const page: Awaited<ReturnType<typeof found.page>> = await found.page();
    seen += page.edges.length;
    after = page.pageInfo.endCursor;
  }
  return after!;
}

it.each<[SearchConnectionArgs, number]>([
  [{}, 1_000],
  [{ orderBy: [{ field: 'MODIFIED' }] }, 1_000],
  [{ orderBy: [{ field: 'NAME' }] }, 1_000],
  [{ query: 'river' }, 100],
])('a page of %j costs the same at depth %d', async (args, page) => {
  const after = await cursorBehind((page - 1) * 20, args);
  const first = await costOf({ ...args, first: 20 });
  const deep = await costOf({ ...args, first: 20, after });
  expect(first.rows).toBeGreaterThan(0);
  expect(deep.statements).toBe(first.statements);
  expect(deep.rows).toBeLessThanOrEqual(1.3 * first.rows);
});

it('reads a page from an index instead of the table', async () => {
  for (const orderBy of ['MODIFIED', 'NAME'] as const)
    expect((await costOf({ orderBy: [{ field: orderBy }], first: 20 })).rows).toBeLessThanOrEqual(100);
});
