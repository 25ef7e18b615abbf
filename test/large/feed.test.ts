/** A feed far larger than what a server may hold in memory, and a reader who is in no hurry. */
import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { projectRoot } from '../../src/kernel/root.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';

const MINUTES = 60_000;
const DATASETS = 5_000;
/** Characters of each dataset's description. */
const NOTES = 20_000;
/** What the claim allows. */
const MEMORY = 64 * MIB;

let database: TestDatabase;
let server: ChildProcess;
let base: string;

beforeAll(async () => {
  database = await createDatabase();
  server = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'serve'], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CATALOG__DATABASE_URL: database.url,
      CATALOG__HOST: '127.0.0.1',
      CATALOG__PORT: '0',
      CATALOG__LOG_LEVEL: 'warn',
      CATALOG__AUTH__CREATE_UNOWNED_DATASET: 'true',
    },
  });
  let key = '';
  for await (const line of createInterface({ input: server.stdout! })) {
    base ??= /(http:\/\/localhost:\d+)/.exec(line)?.[1]?.replace('localhost', '127.0.0.1') as string;
    key = /API key +(\S+)/.exec(line)?.[1] ?? '';
    if (key) break;
  }
  const made = await fetch(`${base}/api/3/action/package_create`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'number-0',
      notes: 'A river. '.repeat(NOTES / 9),
      resources: [{ url: 'http://example.org/a.csv', format: 'CSV' }],
    }),
  });
  expect(made.status).toBe(200);
  await multiply();
  await read('/catalog.nt?all=true&q=name:number-1*', 0); // what the program needs in any case
}, INSTALL_TIMEOUT);
afterAll(async () => {
  server?.kill('SIGTERM');
  if (server && server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve));
  await database?.end();
}, MINUTES);

/** Copies the dataset in the tables that searches and documents are read from. */
async function multiply(): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  client.on('error', () => {}); // the database is dropped under it when something else fails
  const copies = (table: string, id: string, more: string) =>
    client.query(`
      INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object(
        '${id}', 'id-' || n, 'name', 'number-' || n${more}))).*
      FROM ${table} t, generate_series(1, ${DATASETS - 1}) n`);
  await copies('dataset', 'id', '');
  await copies('dataset_document', 'dataset_id', `, 'document', replace(t.document, 'number-0', 'number-' || n)`);
  await copies('dataset_search', 'dataset_id', `, 'number', 1000 + n`);
  await client.end();
}

/** Reads an answer to its end, `pause` ms after each piece; answers how many datasets it told of, and its bytes. */
function read(path: string, pause: number): Promise<{ datasets: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const request = http.get(`${base}${path}`, { agent: false }, async (response) => {
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
  'streams in constant memory, at the pace of its reader',
  async () => {
    const { result, ...measured } = await watched(server, () => read('/catalog.nt?all=true', 2));
    console.log(`${DATASETS} datasets, ${(result.bytes / MIB).toFixed(0)} MiB: ${figures(measured)}`);
    expect(result.datasets).toBe(DATASETS);
    expect(result.bytes).toBeGreaterThan(DATASETS * NOTES * 0.9);
    expect(measured.grew).toBeLessThan(MEMORY);
  },
  10 * MINUTES,
);
