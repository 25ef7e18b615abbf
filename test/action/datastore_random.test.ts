/**
 * Random filters and orders over tables with and without automatic indexes: totals and pages equal a plain scan in memory. PostgreSQL uses
 * every index that it can, because it would scan tables as small as these. Small by default. RANDOM_TABLES and RANDOM_SEARCHES make it
 * large (200 and 10000).
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { listAutoIndexes } from '../../src/datastore/indexes/indexes.sql.ts';
import { flushShapes, keepIndexes } from '../../src/datastore/indexes/keep.service.ts';
import { addressOf } from '../helpers/database.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';

const TABLES = Number(process.env.RANDOM_TABLES ?? 2);
const SEARCHES = Number(process.env.RANDOM_SEARCHES ?? 120);
const ROWS = 60;
/** Number of searches between two index runs. */
const LOOK = Math.ceil(SEARCHES / 4);

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  const { settings } = tables.world.app.callAs(tables.world.system);
  const database = new URL(settings['catalog.datastore.read_url']!).pathname.slice(1);
  const client = new pg.Client({ connectionString: addressOf(database) });
  await client.connect();
  await client.query(`ALTER DATABASE "${database}" SET enable_seqscan = off`);
  await client.end();
});
afterAll(() => tables.world.end());

/** Numbers from a seed, so that a failure repeats. */
let seed = 20_261_125;
function random(below: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
}
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)]!;

type Row = { k: number; a: number | null; b: string | null; c: number; d: boolean };
const rowOf = (k: number): Row => ({
  k,
  a: random(8) === 0 ? null : random(4),
  b: random(8) === 0 ? null : `w${random(5)}`,
  c: random(50),
  d: random(2) === 0,
});

type Filter = [params: Record<string, unknown>, fits: (row: Row) => boolean];

function filterOf(column: keyof Row): Filter {
  if (column === 'c') {
    const [gte, lt] = [random(50), random(60)];
    return [{ c: { gte, lt } }, ({ c }) => c >= gte && c < lt];
  }
  const value = () =>
    column === 'a' ? random(5) : column === 'b' ? `w${random(6)}` : column === 'd' ? random(2) === 0 : random(ROWS);
  if (column !== 'd' && column !== 'k' && random(6) === 0) return [{ [column]: null }, (row) => row[column] === null];
  if (column !== 'd' && random(4) === 0) {
    const values = [value(), value()];
    return [{ [column]: values }, (row) => values.includes(row[column] as never)];
  }
  const only = value();
  return [{ [column]: only }, (row) => row[column] === only];
}

/** As PostgreSQL sorts: null is the greatest value. */
function compare(a: Row, b: Row, by: keyof Row): number {
  const [x, y] = [a[by], b[by]];
  if (x === y) return 0;
  if (x === null || y === null) return x === null ? 1 : -1;
  return x < y ? -1 : 1;
}

it(
  `${SEARCHES} random searches of ${TABLES} tables equal a plain scan`,
  async () => {
    const { world, table, search, write } = tables;
    const call = () => world.app.callAs(world.system);
    const thresholds = { minRows: 10, minUses: 2 };
    const stored: { id: string; rows: Map<number, Row> }[] = [];
    for (let n = 0; n < TABLES; n += 1) {
      const rows = Array.from({ length: ROWS }, (_, k) => rowOf(k));
      const fields = Object.entries({ k: 'int', a: 'int', b: 'text', c: 'int', d: 'bool' }).map(([id, type]) => ({
        id,
        type,
      }));
      stored.push({
        id: await table({ fields, primary_key: 'k', records: rows }),
        rows: new Map(rows.map((row) => [row.k, row])),
      });
    }
    for (let n = 0; n < SEARCHES; n += 1) {
      const { id, rows } = oneOf(stored);
      if (n % LOOK === LOOK - 1) {
        await flushShapes(call());
        await keepIndexes(call(), thresholds);
      }
      if (random(12) === 0) {
        const changed = rowOf(random(ROWS));
        rows.set(changed.k, changed);
        await write('datastore_upsert', { resource_id: id, records: [changed] });
      }
      const filters = (['a', 'b', 'c', 'd', 'k'] as const)
        .filter((column) => random(column === 'k' ? 12 : 3) === 0)
        .map(filterOf);
      const by = oneOf(['a', 'b', 'c', 'd', null] as const);
      const isDescending = random(2) === 0;
      const found = [...rows.values()].filter((row) => filters.every(([, fits]) => fits(row)));
      const sorted = found.sort((x, y) => (by === null ? 0 : compare(x, y, by) * (isDescending ? -1 : 1)));
      const [limit, offset] = [1 + random(20), random(3) * 10];
      const asked = {
        filters: Object.assign({}, ...filters.map(([params]) => params)),
        ...(by !== null && { sort: `${by}${isDescending ? ' desc' : ''}` }),
      };
      const { total, records } = await search({ resource_id: id, ...asked, limit, offset });
      const page = sorted.slice(offset, offset + limit);
      expect([n, asked, total, records.length]).toEqual([n, asked, found.length, page.length]);
      // Ties are in the order of `_id`, which is that of `k`.
      const ids = (list: readonly Row[]) => list.map(({ k }) => k);
      const ties = sorted.sort((x, y) => (by === null ? 0 : compare(x, y, by) * (isDescending ? -1 : 1)) || x.k - y.k);
      expect([n, asked, ids(records)]).toEqual([n, asked, ids(ties.slice(offset, offset + limit))]);
      for (const record of records as Row[]) expect(record).toMatchObject(rows.get(record.k)!);
    }
    const { sql } = call().stores.datastore!;
    expect((await listAutoIndexes(sql)).length).toBeGreaterThan(0);
    await until(async () => (await listAutoIndexes(sql)).some(({ scans }) => scans > 0)); // PostgreSQL reports them after a second
  },
  180_000 + SEARCHES * 1_000,
);
