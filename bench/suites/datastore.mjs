/** Tables: searches beside a bare server with the same statement, whole tables beside a bare COPY, and memory use. */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { root } from '../../scripts/stamp.mjs';
import { organizations } from '../corpus.mjs';
import { cpuOf, cpuOfFamily } from '../cpu.mjs';
import { KEY } from '../data.mjs';
import { ofFloor } from '../measure.mjs';
import { trialTable } from '../table.mjs';

/** The catalog around the table is small, because it is not measured. */
export const size = 100;

export const ROWS = 3_000_000;
const STATIONS = 10_000;
export const RESOURCE = 'bec50000-0000-4000-8000-000000000001';
/** Name of its dataset. */
export const TABLE = 'a-table';
const FIELDS = ['n:int', 'station:text', 'day:timestamp', 'level:float', 'price:numeric', 'code:text', 'ok:bool'];
const OK = '"success":true';
const ROUNDS = 3;
/** Maximum MiB above idle. */
const MAX_MEMORY = 64;

const ours = (file) => import(`../../dist/src/${file}.js`);

export async function measurements({ data, ask }) {
  await makeTable(data, ask);
  const asked = (station) => ({ resource_id: RESOURCE, filters: { station }, sort: 'level desc', limit: 100 });
  const stations = Array.from({ length: 500 }, (_, i) => `S${String((i * 7919) % STATIONS).padStart(5, '0')}`);
  const search = (params) => ({
    method: 'POST',
    path: '/api/3/action/datastore_search',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const statement = await statementsOf(data);
  const bare = stations.map((station) => ({
    method: 'POST',
    path: '/',
    body: JSON.stringify(statement(asked(station))),
  }));
  const always = (list) => () => list;
  const row = { server: 'catalog', expect: OK };
  return [1, 32]
    .flatMap((connections) => [
      { ...row, name: `floor: 100 rows c${connections}`, server: 'floor', connections, requests: always(bare) },
      {
        ...row,
        name: `datastore_search, 100 rows c${connections}`,
        connections,
        requests: always(stations.map((station) => search(asked(station)))),
        to: `floor: 100 rows c${connections}`,
        goal: ofFloor(0.5),
      },
    ])
    .concat([
      {
        ...row,
        name: 'floor: 32,000 rows',
        server: 'floor',
        connections: 1,
        requests: always([
          { method: 'POST', path: '/', body: JSON.stringify(statement({ resource_id: RESOURCE, limit: 32_000 })) },
        ]),
      },
      {
        ...row,
        name: 'datastore_search, 32,000 rows',
        connections: 1,
        requests: always([search({ resource_id: RESOURCE, limit: 32_000 })]),
        to: 'floor: 32,000 rows',
        goal: { ...ofFloor(0.8), text: '≥ 0.80 of the floor: nothing is parsed' },
      },
    ]);
}

/** The statements the catalog itself sends for a search whose total is known. */
async function statementsOf() {
  const { searchSql, tableSource } = await ours('datastore/rows/search.sql');
  const { planSearch } = await ours('datastore/rows/search.plan');
  const { statementOf } = await ours('datastore/fragment');
  const types = { int: 'int4', float: 'float8' };
  const columns = [{ id: '_id', type: 'int4', info: null }].concat(
    FIELDS.map((field) => field.split(':')).map(([id, type]) => ({ id, type: types[type] ?? type, info: null })),
  );
  return ({ filters, sort, limit }) => {
    const { plan } = planSearch({ filters, sort: sort ? [sort] : [], limit }, columns);
    const options = { format: 'objects', numbers: 'number', counting: 'none' };
    const { statement, values } = statementOf(
      'datastore_search',
      searchSql(tableSource(RESOURCE, columns), plan, options),
    );
    return { statement: statement.text, values };
  };
}

/** The table, created by the catalog and filled with SQL; reused by the next run. */
export async function makeTable({ settings }, ask) {
  const found = await ask({ path: `/api/3/action/datastore_search?resource_id=${RESOURCE}&limit=0` });
  if (found.result?.total === ROWS) return;
  const write = (action, params) =>
    ask({
      method: 'POST',
      path: `/api/3/action/${action}`,
      headers: { authorization: KEY, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  const dataset = {
    name: TABLE,
    owner_org: organizations[0].name,
    resources: [{ id: RESOURCE, url: 'http://example.org/bench.csv' }],
  };
  const created = await write('package_create', dataset);
  if (!created.success && !created.error.name) throw new Error(JSON.stringify(created.error));
  const fields = FIELDS.map((field) => field.split(':')).map(([id, type]) => ({ id, type }));
  await write('datastore_delete', { resource_id: RESOURCE, force: true });
  const made = await write('datastore_create', { resource_id: RESOURCE, force: true, fields, indexes: ['station'] });
  if (!made.success) throw new Error(JSON.stringify(made.error));
  const { openDatastore } = await ours('infra/postgres/datastore');
  const { settingsForTests } = await ours('kernel/config');
  const { ownTables } = await ours('datastore/tables/counts.sql');
  const { setCount } = await ours('datastore/tables/counts.store');
  const store = openDatastore(settingsForTests(settings), ownTables); // an older state has fewer settings
  await store.write(async (sql) => {
    await sql.rows({
      text: `INSERT INTO "${RESOURCE}" (n, station, day, level, price, code, ok)
        SELECT n, 'S' || lpad((n % ${STATIONS})::text, 5, '0'), timestamp '2000-01-01' + n * interval '1 minute', (n::int8 * 7919 % 100003) / 7.0,
          round((n % 99991) / 100.0, 2), 'é ' || md5(n::text), n % 3 = 0 FROM generate_series(1, ${ROWS}) n`,
    });
    await setCount(sql, RESOURCE, ROWS);
  });
  await store.close();
  await withClient(settings, (client) => client.query(`VACUUM (ANALYZE) "${RESOURCE}"`));
}

async function withClient(settings, work) {
  const client = new pg.Client({ connectionString: settings['catalog.datastore.write_url'] });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Uses psql when installed; otherwise the same statement over a plain connection. */
const hasPsql = spawnSync('psql', ['--version'], { stdio: 'ignore' }).status === 0;
const BASE = hasPsql ? 'psql \\copy … to /dev/null' : 'COPY over a plain connection';

/** Whole tables: rows per second and CPU beside a bare COPY, and the server's memory during the read. */
export async function trials({ data, servers, say }) {
  const { port, pid } = servers.catalog;
  const url = (format) => `http://127.0.0.1:${port}/datastore/dump/${RESOURCE}?format=${format}`;
  const columns = ['_id', ...FIELDS.map((field) => field.split(':')[0])].map((id) => `"${id}"`).join(', ');
  const copy = {
    psql: hasPsql,
    table: `"${RESOURCE}" (${columns})`,
    database: data.settings['catalog.datastore.read_url'],
  };
  const jobs = [
    { name: BASE, job: copy },
    { name: 'dump, CSV', job: { url: url('csv') }, to: BASE, goal: 0.6 },
    { name: 'dump, JSON', job: { url: url('json') }, to: BASE },
    { name: 'dump, Parquet', job: { url: url('parquet') }, to: BASE, rounds: 1 },
    { name: 'dump, CSV, a reader of 4 MB a second', job: { url: url('csv'), slow: true }, rounds: 1 },
    { name: 'dump, Parquet, a reader of 4 MB a second', job: { url: url('parquet'), slow: true }, rounds: 1 },
  ];
  const found = new Map(jobs.map(({ name }) => [name, []]));
  await read({ url: `${url('csv')}&limit=1000` });
  await read({ url: `${url('parquet')}&limit=1000` });
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, job, rounds = ROUNDS } of jobs)
      if (round < rounds) found.get(name).push(await tryOnce(job, pid, data.postmaster));
  const rows = jobs.map(({ name, to, goal, job }) => {
    const best = fastest(found.get(name));
    const ratio = to ? fastest(found.get(to)).seconds / best.seconds : null;
    const memory = job.table ? null : Math.max(...found.get(name).map(({ above }) => above));
    const fits = [
      ...(goal ? [{ text: `≥ ${goal} of COPY`, met: ratio >= goal }] : []),
      ...(memory === null ? [] : [{ text: `≤ ${MAX_MEMORY} MiB above idle`, met: memory <= MAX_MEMORY }]),
    ];
    return { name, ...best, above: memory, ratio, goals: fits };
  });
  say(`${trialTable(rows)}\n`);
  return rows;
}

const fastest = (tries) => tries.reduce((best, one) => (one.seconds < best.seconds ? one : best));

async function tryOnce(job, pid, postmaster) {
  const idle = memoryOf(pid);
  const before = { node: cpuOf(pid), pg: cpuOfFamily(postmaster) };
  let most = idle;
  const timer = setInterval(() => (most = Math.max(most, memoryOf(pid))), 50);
  const { seconds, bytes } = await read(job);
  clearInterval(timer);
  const used = (what, now) => (now === null ? null : (now - before[what]) / 1000);
  return {
    seconds,
    bytes,
    node: used('node', cpuOf(pid)),
    pg: used('pg', cpuOfFamily(postmaster)),
    above: most - idle,
  };
}

/** Resident memory of a process in MiB. */
const memoryOf = (pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

/** Reads in its own process, and discards the data. */
async function read(job) {
  const child = fork(join(root, 'bench/reader.mjs'));
  child.send(job);
  const [done] = await once(child, 'message');
  if (done.failure) throw new Error(done.failure);
  return done;
}
