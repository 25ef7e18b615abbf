/**
 * Tables that index themselves: a search by three filters, and an aggregate, beside a bare server on a copy with manually created indexes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { organizations } from '../corpus.mjs';
import { KEY } from '../data.mjs';
import { ofFloor } from '../measure.mjs';

/** The catalog around the table is small, because it is not measured. */
export const size = 100;

export const ROWS = 336_776;
export const FLIGHTS = 'bec50000-0000-4000-8000-000000000002';
const CARRIERS = 'UA B6 EV DL AA MQ US 9E WN VX FL AS F9 YV HA OO'.split(' ');
const ORIGINS = ['EWR', 'JFK', 'LGA'];
const FIELDS = Object.entries({
  year: 'int',
  month: 'int',
  day: 'int',
  dep_time: 'int',
  sched_dep_time: 'int',
  dep_delay: 'int',
  arr_time: 'int',
  sched_arr_time: 'int',
  arr_delay: 'int',
  carrier: 'text',
  flight: 'int',
  tailnum: 'text',
  origin: 'text',
  dest: 'text',
  air_time: 'int',
  distance: 'int',
  hour: 'int',
  minute: 'int',
  time_hour: 'timestamp',
}).map(([id, type]) => ({ id, type }));
/** ms until the server has made its indexes: it looks for them every minute. */
const TIMEOUT = 240_000;

const ours = (file) => import(`../../dist/src/${file}.js`);

/** Searches and statements of readers. */
export const READS = ORIGINS.flatMap((origin) =>
  CARRIERS.slice(0, 5).flatMap((carrier) =>
    Array.from({ length: 12 }, (_, at) => ({ origin, carrier, month: at + 1 })),
  ),
);
export const searchOf = (filters) => ({ resource_id: FLIGHTS, filters, sort: 'dep_delay desc', limit: 100 });
export const aggregateOf = ({ origin, month }) =>
  `SELECT carrier, count(*) AS n, avg(arr_delay) AS delay FROM "${FLIGHTS}" WHERE month = ${month} AND origin = '${origin}' GROUP BY carrier ORDER BY carrier`;
const MONTHS = READS.filter(({ carrier }) => carrier === CARRIERS[0]);
/** So many requests that no round has sent before: their results are not stored. */
const fresh = (count, of) => {
  let sent = 0;
  return () => Array.from({ length: count }, () => of(++sent));
};
/** Groups of the whole table by carrier; another number is another request. */
const groupsOf = (at) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    query: `{ table(id: "${Buffer.from(`Resource:${FLIGHTS}`).toString('base64url')}") { aggregate(groupBy: [{ field: "carrier" }], figures: [{ figure: AVG, field: "arr_delay" }],
      having: [{ figure: COUNT, gt: ${-at} }]) { nodes { key { value } count figures { value } } } } }`,
  }),
});

export const post = (action, params) => ({
  method: 'POST',
  path: `/api/3/action/${action}`,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(params),
});

export async function measurements({ data, ask }) {
  await makeFlights(data, ask);
  await makeIndexes(ask, data.settings['catalog.datastore.auto_indexes']);
  const row = { server: 'catalog', expect: '"success":true', connections: 1 };
  const always = (list) => () => list;
  const bare = await floorOf(data);
  return [
    { ...row, name: 'floor: 3 filters, total', server: 'floor', requests: always(READS.map(bare.search)) },
    {
      ...row,
      name: 'datastore_search, 3 filters, total',
      requests: always(READS.map((filters) => post('datastore_search', searchOf(filters)))),
      to: 'floor: 3 filters, total',
      goal: ofFloor(0.5, 3),
    },
    { ...row, name: 'floor: aggregate', server: 'floor', requests: always(MONTHS.map(bare.aggregate)) },
    {
      ...row,
      name: 'datastore_search_sql, aggregate',
      requests: fresh(2_000, (at) =>
        post('datastore_search_sql', { sql: `${aggregateOf(MONTHS[at % MONTHS.length])} -- ${at}` }),
      ),
      to: 'floor: aggregate',
      goal: ofFloor(0.5, 5),
    },
    {
      ...row,
      name: 'datastore_search_sql, aggregate, repeated',
      requests: always(MONTHS.map((filters) => post('datastore_search_sql', { sql: aggregateOf(filters) }))),
      to: 'floor: aggregate',
      goal: ofFloor(0.5, 5),
    },
    {
      ...row,
      name: 'aggregate of the whole table',
      expect: '"count"',
      requests: fresh(200, groupsOf),
    },
    {
      ...row,
      name: 'aggregate of the whole table, repeated',
      expect: '"count"',
      requests: always([groupsOf(0)]),
      to: 'aggregate of the whole table',
    },
  ];
}

/**
 * Requests of the bare server: hand-written statements on a copy of the table with the best indexes for them, and totals counted before.
 */
async function floorOf({ settings }) {
  const client = new pg.Client({ connectionString: settings['catalog.datastore.write_url'] });
  await client.connect();
  try {
    if (!(await client.query(`SELECT to_regclass('bench.flights') AS found`)).rows[0].found)
      await client.query(`CREATE SCHEMA IF NOT EXISTS bench; GRANT USAGE ON SCHEMA bench TO PUBLIC;
        CREATE TABLE bench.flights AS SELECT _id, ${FIELDS.map(({ id }) => id).join(', ')} FROM "${FLIGHTS}";
        CREATE INDEX ON bench.flights (carrier, origin, month, dep_delay DESC, _id);
        CREATE INDEX ON bench.flights (month, origin, carrier) INCLUDE (arr_delay); GRANT SELECT ON bench.flights TO PUBLIC`);
    await client.query('VACUUM (ANALYZE) bench.flights');
    const { rows } = await client.query(
      'SELECT carrier, origin, month, count(*)::int AS n FROM bench.flights GROUP BY 1, 2, 3',
    );
    const keyOf = ({ carrier, origin, month }) => `${carrier} ${origin} ${month}`;
    const totals = new Map(rows.map((row) => [keyOf(row), row.n]));
    const bare = (statement, values) => ({ method: 'POST', path: '/', body: JSON.stringify({ statement, values }) });
    return {
      search: (read) =>
        bare(
          `SELECT $4::int, '[' || string_agg(row_to_json(t)::text, ',') || ']' FROM (SELECT * FROM bench.flights
            WHERE carrier = $1 AND origin = $2 AND month = $3 ORDER BY dep_delay DESC, _id LIMIT 100) t`,
          [read.carrier, read.origin, read.month, totals.get(keyOf(read)) ?? 0],
        ),
      aggregate: (read) =>
        bare(
          `SELECT count(*), json_agg(row_to_json(t))::text FROM (${aggregateOf(read).replace(`"${FLIGHTS}"`, 'bench.flights')}) t`,
          [],
        ),
    };
  } finally {
    await client.end();
  }
}

/** The table, created by the catalog with an index for each filter, and filled with SQL; reused by the next run. */
export async function makeFlights({ settings }, ask) {
  const found = await ask({ path: `/api/3/action/datastore_search?resource_id=${FLIGHTS}&limit=0` });
  if (found.result?.total === ROWS) return;
  const write = (action, params) =>
    ask({ ...post(action, params), headers: { authorization: KEY, 'content-type': 'application/json' } });
  const resources = [{ id: FLIGHTS, url: 'http://example.org/flights.csv' }];
  const created = await write('package_create', { name: 'flights', owner_org: organizations[0].name, resources });
  if (!created.success && !created.error.name) throw new Error(JSON.stringify(created.error));
  await write('datastore_delete', { resource_id: FLIGHTS, force: true });
  const indexes = ['month', 'origin', 'carrier'];
  const made = await write('datastore_create', { resource_id: FLIGHTS, force: true, fields: FIELDS, indexes });
  if (!made.success) throw new Error(JSON.stringify(made.error));
  const { openDatastore } = await ours('infra/postgres/datastore');
  const { ownTables } = await ours('datastore/tables/counts.sql');
  const { setCount } = await ours('datastore/tables/counts.store');
  const store = openDatastore(settings, ownTables);
  const list = (values) => `(ARRAY[${values.map((value) => `'${value}'`).join(',')}])`;
  await store.write(async (sql) => {
    await sql.rows({
      text: `INSERT INTO "${FLIGHTS}" (${FIELDS.map(({ id }) => id).join(', ')})
        SELECT 2013, extract(month FROM at), extract(day FROM at), (h % 24) * 100 + n % 60, (h % 24) * 100 + (n * 7) % 60, d, (h * 3) % 2400,
          (h * 5) % 2400, d + n % 41 - 20, ${list(CARRIERS)}[1 + floor(power((h % 1000) / 1000.0, 2) * 16)::int], h % 8500,
          'N' || 100 + h % 4000 || 'AB', ${list(ORIGINS)}[1 + (h / 1000) % 3], 'D' || (h / 7) % 105, 20 + h % 660, 80 + (h * 3) % 4900,
          extract(hour FROM at), n % 60, date_trunc('hour', at)
        FROM (SELECT n, timestamp '2013-01-01' + n * interval '93.6 seconds' AS at, abs(hashint4(n)) % 1000000 AS h,
            (power(abs(hashint4(n + 7)) % 1000 / 1000.0, 6) * 900)::int - 15 AS d FROM generate_series(1, ${ROWS}) n) s`,
    });
    await setCount(sql, FLIGHTS, ROWS);
  });
  await store.close();
  const client = new pg.Client({ connectionString: settings['catalog.datastore.write_url'] });
  await client.connect();
  await client.query(`VACUUM (ANALYZE) "${FLIGHTS}"`);
  await client.end();
}

/** Reads until the server has made its indexes for these reads, or has dropped them if it may have `most` of 0. */
export async function makeIndexes(ask, most) {
  for (const end = Date.now() + TIMEOUT; Date.now() < end; await sleep(5_000)) {
    const { result } = await ask({ path: `/api/3/action/datastore_info?id=${FLIGHTS}` });
    if (most === 0 ? result.auto_indexes.length === 0 : result.auto_indexes.length >= 2) return;
    for (const filters of READS.slice(0, 12)) {
      await ask(post('datastore_search', searchOf(filters)));
      await ask(post('datastore_search_sql', { sql: aggregateOf(filters) }));
    }
  }
  throw new Error('The server made no indexes: see its log.');
}

const QUIET = 15_000;
/** Columns of indexes that the trial makes. */
const TRIED = [
  ['tailnum', 'dep_delay'],
  ['dest', 'arr_delay'],
  ['flight', 'time_hour'],
  ['distance', 'air_time'],
];
/** ms that an index may add to the wait of a writer, as issue 20 says. */
const MAX_ADDED = 100;
/** Marks records of the trial. */
const TRIAL_YEAR = 1;

/**
 * Waits of writers: one record after the other is written, first alone, then while the server's own statements make indexes and drop them.
 */
export async function trials({ data, ask, say }) {
  const alone = await waitsDuring(ask, () => sleep(QUIET));
  const beside = await waitsDuring(ask, () => makeTried(data));
  const write = { resource_id: FLIGHTS, force: true, filters: { year: TRIAL_YEAR } };
  await ask({
    ...post('datastore_delete', write),
    headers: { authorization: KEY, 'content-type': 'application/json' },
  });
  const rows = [
    { name: 'upserts alone', ...alone },
    { name: 'upserts while indexes are made', ...beside },
  ];
  for (const { name, count, p50, p99, max } of rows)
    say(`${name}: ${count}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms`);
  say(
    `an index adds ${(beside.max - alone.max).toFixed(1)} ms at most${beside.max - alone.max <= MAX_ADDED ? '' : ' MISSED'}`,
  );
  return rows;
}

async function waitsDuring(ask, work) {
  let isOver = false;
  const waits = [];
  const records = [{ year: TRIAL_YEAR, month: 1, day: 1, carrier: 'UA', origin: 'EWR' }];
  const request = post('datastore_upsert', { resource_id: FLIGHTS, force: true, method: 'insert', records });
  const write = async () => {
    while (!isOver) {
      const began = performance.now();
      const { success, error } = await ask({ ...request, headers: { ...request.headers, authorization: KEY } });
      if (!success) throw new Error(JSON.stringify(error));
      waits.push(performance.now() - began);
    }
  };
  await Promise.all([write(), work().finally(() => (isOver = true))]);
  waits.sort((a, b) => a - b);
  const at = (part) => waits[Math.min(waits.length - 1, Math.floor(waits.length * part))];
  return { count: waits.length, p50: at(0.5), p99: at(0.99), max: waits.at(-1) };
}

async function makeTried({ settings }) {
  const { openDatastore } = await ours('infra/postgres/datastore');
  const { ownTables } = await ours('datastore/tables/counts.sql');
  const { dropAutoIndex, makeIndex, vacuumTable } = await ours('datastore/indexes/indexes.sql');
  const store = openDatastore(settings, ownTables);
  try {
    await store.alone(async (sql) => {
      for (const columns of TRIED) {
        const name = `_auto_trial_${columns.join('_')}`;
        const plan = { table: FLIGHTS, name, columns: columns.map((id) => [id, '']), included: [], reason: 'trial' };
        await makeIndex(sql, plan, new Date());
        await vacuumTable(sql, FLIGHTS);
        await dropAutoIndex(sql, name);
      }
    });
  } finally {
    await store.close();
  }
}
