/** Reads a feed far larger than the server's memory limit, with a slow reader. */
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const MINUTES = 60_000;
const DATASETS = 5_000;
/** Characters of each dataset's description. */
const NOTES = 20_000;
/** Maximum memory growth. */
const MEMORY = 64 * MIB;

/** Heap limit of the server in MiB. It forces frequent garbage collection, and a server that buffered the feed would exceed it. */
const HEAP = 160;

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ CATALOG__DATABASE_URL: database.url, NODE_OPTIONS: `--max-old-space-size=${HEAP}` });
  await server.call('package_create', {
    name: 'number-0',
    notes: 'A river. '.repeat(NOTES / 9),
    resources: [{ url: 'http://example.org/a.csv', format: 'CSV' }],
  });
  await multiply();
  await read('/catalog.nt?all=true&q=name:number-1*', 0); // warm-up
}, INSTALL_TIMEOUT);
afterAll(async () => {
  await server?.stop();
  await database?.end();
}, MINUTES);

/** Copies the dataset in the tables that back searches and documents. */
async function multiply(): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  client.on('error', () => {}); // the database is dropped while this client is connected if setup fails
  const copies = (table: string, id: string, more: string) =>
    client.query(`
      INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT copy.* FROM ${table} t, generate_series(1, ${DATASETS - 1}) n,
        jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object(
          '${id}', 'id-' || n, 'name', 'number-' || n${more})) copy`);
  await copies('dataset', 'id', '');
  await copies('dataset_document', 'dataset_id', `, 'document', replace(t.document, 'number-0', 'number-' || n)`);
  await copies('dataset_search', 'dataset_id', `, 'number', 1000 + n`);
  await client.end();
}

/** Reads a response to its end, pausing `pause` ms after each chunk. Returns the number of datasets in it, and its bytes. */
function read(path: string, pause: number): Promise<{ datasets: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${server.base}${path}`, { agent: false }, async (response) => {
      let bytes = 0;
      let text = '';
      const seen = new Set<string>();
      try {
        for await (const chunk of response) {
          bytes += chunk.length;
          text = text.slice(-300) + chunk;
          for (const [, name] of text.matchAll(/#dataset> <[^>]*\/(number-\d+)> \./g)) seen.add(name!);
          if (pause > 0) await sleep(pause);
        }
        expect(response.complete).toBe(true);
        resolve({ datasets: seen.size, bytes });
      } catch (failure) {
        reject(failure as Error);
      }
    });
    request.on('error', reject);
  });
}

it(
  "streams a large feed in constant memory, at the reader's pace",
  async () => {
    const { result, ...measured } = await watched(server.process, () => read('/catalog.nt?all=true', 2));
    console.log(`${DATASETS} datasets, ${(result.bytes / MIB).toFixed(0)} MiB: ${figures(measured)}`);
    expect(result.datasets).toBe(DATASETS);
    expect(result.bytes).toBeGreaterThan(DATASETS * NOTES * 0.9);
    expect(measured.grew).toBeLessThan(MEMORY);
  },
  10 * MINUTES,
);
