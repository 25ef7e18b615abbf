/** Sitemap of a catalog with more datasets than one file may list, and its memory use. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { figures, MIB, watched } from '../helpers/memory.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';

const DATASETS = 120_000;
/** Maximum memory growth for all files, which have 12 MB of text. Includes garbage. */
const MEMORY = 64 * MIB;
/** Heap limit of the server in MiB. */
const HEAP = 160;

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createDatabase();
  server = await startServer({ CATALOG__DATABASE_URL: database.url, NODE_OPTIONS: `--max-old-space-size=${HEAP}` });
  await server.call('package_create', { name: 'number-0' });
  const client = new pg.Client(database.url);
  await client.connect();
  client.on('error', () => {}); // the database is dropped while this client is connected if setup fails
  for (const [table, id, time] of [
    ['dataset', 'id', 'modified_at'],
    ['dataset_document', 'dataset_id', 'modified_at'],
  ])
    await client.query(`
      INSERT INTO ${table} SELECT copy.* FROM ${table} t, generate_series(1, ${DATASETS - 1}) n,
        jsonb_populate_record(NULL::${table}, to_jsonb(t) || jsonb_build_object(
          '${id}', 'id-' || n, 'name', 'number-' || n, '${time}', '2020-01-01'::timestamptz + n * interval '1 minute')) copy`);
  await client.query('ANALYZE dataset_document');
  await client.end();
}, INSTALL_TIMEOUT);
afterAll(async () => {
  await server?.stop();
  await database?.end();
}, 60_000);

it(
  'lists each dataset once, 50,000 per file, in constant memory',
  async () => {
    const get = async (path: string) => (await fetch(server.base + path)).text();
    const locations = (text: string) =>
      [...text.matchAll(/<loc>https?:\/\/[^/]+([^<]*)<\/loc>/g)].map(([, path]) => path!);
    const files = locations(await get('/sitemap.xml')).filter((path) => path.includes('-dataset-'));
    expect(files).toEqual([1, 2, 3].map((number) => `/sitemap-dataset-${number}.xml`));
    await get(files[2]!); // warm-up
    const measured = await watched(server.process, async () => {
      const found: string[][] = [];
      for (const file of files) found.push(locations(await get(file)));
      return found;
    });
    console.info(`site map of ${DATASETS} datasets: ${figures(measured)}`);
    expect(measured.result.map(({ length }) => length)).toEqual([50_000, 50_000, 20_000]);
    expect(new Set(measured.result.flat()).size).toBe(DATASETS);
    expect(measured.grew).toBeLessThan(MEMORY);
  },
  INSTALL_TIMEOUT,
);
