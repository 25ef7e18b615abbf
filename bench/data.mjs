/** The measured catalog: created once below .cache/bench by the server itself, and reused until its definition changes. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesBelow, hashOf, readOr, root } from '../scripts/stamp.mjs';
import { dataset, groups, organizations, VERSION } from './corpus.mjs';
import { grow } from './grow.mjs';
import { startCatalog, startLoad } from './servers.mjs';

/** API key of the sysadmin of benchmark catalogs. Valid nowhere else. */
export const KEY = 'benchmark-key-of-nobody';

const folder = join(root, '.cache/bench');
const CONNECTIONS = 8;
/** Datasets written by the server itself; additional ones are copies. */
const WRITTEN = 10_000;

/**
 * A catalog of this many datasets, loaded when missing: its settings file, with additional `settings`, and its database, open until
 * `close`. Reports slow steps to `say`.
 */
export async function openData({ datasets, fresh, settings, say }) {
  const dataDir = join(folder, `data-${datasets}`);
  const stampFile = `.cache/bench/data-${datasets}.stamp`;
  const sources = [
    ...filesBelow('prisma/migrations', () => true),
    'src/catalog/document/project.ts',
    ...filesBelow('src/search/index', () => true),
    ...filesBelow('src/search/words', () => true),
  ];
  const stamp = `${VERSION} ${hashOf(sources)}`;
  const isLoaded = !fresh && readOr(stampFile, '') === stamp;
  if (!isLoaded) await discard(dataDir);
  const config = writeConfig(dataDir, datasets, settings);
  const data = await openDatabase(config);
  if (isLoaded) return data;
  try {
    await load({ config, data, datasets, say });
    writeFileSync(join(root, stampFile), stamp);
    return data;
  } catch (thrown) {
    await data.close();
    throw thrown;
  }
}

/** Removes the data. PostgreSQL may still run on it, and may store its files elsewhere, as place.json says. */
async function discard(dataDir) {
  const visible = join(dataDir, 'postgres');
  let base = visible;
  try {
    const { at } = JSON.parse(readFileSync(join(visible, 'place.json'), 'utf8'));
    if (at !== '.') base = at;
  } catch {
    return rmSync(dataDir, { recursive: true, force: true }); // no database
  }
  const { readLock, processAt } = await import('../dist/src/embedded/postmaster.js');
  const cluster = join(base, 'cluster');
  const lock = readLock(cluster);
  if (lock && processAt(lock.pid, cluster) === 'ours') {
    process.kill(lock.pid, 'SIGINT');
    while (processAt(lock.pid, cluster) === 'ours') await sleep(50);
  }
  for (const folder of [base, dataDir]) rmSync(folder, { recursive: true, force: true });
}

function writeConfig(dataDir, datasets, own) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `catalog-${datasets}.yaml`);
  const settings = {
    'catalog.data_dir': dataDir,
    'catalog.host': '127.0.0.1',
    'catalog.log_level': 'warn',
    'catalog.jobs.workers': 0, // no automatic table loading during the bench
    'catalog.links.hosts': 0, // no checks of links, whose work would count as that of requests
    ...own,
  };
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`);
  return file;
}

async function openDatabase(config) {
  const ours = (file) => import(`../dist/src/${file}.js`);
  const { loadSettings } = await ours('kernel/config');
  const { openDatabases } = await ours('embedded/databases');
  const { migrate } = await ours('migrate/migrate');
  const { createSecretBox } = await ours('infra/crypto/secret-box');
  const { siteSecret } = await ours('infra/crypto/secret-file');
  const { default: pg } = await import('pg');

  const databases = await openDatabases(loadSettings({}, config));
  const { settings } = databases;
  const url = settings['catalog.database_url'];
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid, current_setting($1) AS version', [
    'server_version',
  ]);
  return {
    config,
    url,
    /** With the URLs of both databases. */
    settings,
    client,
    secretBox: createSecretBox(siteSecret(databases.settings)),
    postgresVersion: rows[0].version.split(' ')[0],
    postmaster: parentOf(rows[0].pid),
    close: async () => {
      await client.end();
      await databases.close();
    },
  };
}

function parentOf(pid) {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return null; // no /proc, or the database is elsewhere
  }
}

async function load({ config, data, datasets, say }) {
  const start = performance.now();
  const written = Math.min(datasets, WRITTEN);
  say(`Loading ${datasets} datasets …`);
  await seed(data);
  const server = await startCatalog({ config });
  const generator = startLoad();
  try {
    for (let from = 0; from < written; from += 500) {
      const requests = Array.from({ length: Math.min(500, written - from) }, (_, i) =>
        post('package_create', dataset(from + i)),
      );
      const done = await generator.run({
        port: server.port,
        requests,
        connections: CONNECTIONS,
        seconds: 600,
        expect: '"success":true',
        once: true,
      });
      if (done.errors) throw new Error(`${done.errors} datasets were refused: ${done.firstError}`);
      if ((from / 500) % 4 === 3)
        say(`  ${from + requests.length} after ${((performance.now() - start) / 1000).toFixed(0)} s`);
    }
  } finally {
    generator.stop();
    await server.stop();
  }
  await grow(data.client, datasets, say);
  await data.client.query('VACUUM (ANALYZE)');
  await data.client.query('CHECKPOINT').catch(() => {}); // needs a privilege
  say(`  loaded in ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

/** A POST of an action in the load generator's format; the sysadmin is the default caller. */
export const post = (action, params, key = KEY) => ({
  method: 'POST',
  path: `/api/3/action/${action}`,
  headers: { authorization: key, 'content-type': 'application/json' },
  body: JSON.stringify(params),
});

/** Writes the sysadmin, organizations and groups directly into the tables, because their creation is not measured. */
async function seed({ client, secretBox }) {
  await client.query(
    'INSERT INTO user_account (id, name, sysadmin, api_key_hash, api_key_sealed) VALUES ($1, $2, true, $3, $4)',
    [randomUUID(), 'bench', secretBox.hash(KEY), secretBox.seal(KEY)],
  );
  await client.query(
    `INSERT INTO group_account (id, name, title, description, image_url, type, is_organization, revision_id)
     SELECT id, name, title, description, image_url, type, type = 'organization', gen_random_uuid()::text
     FROM jsonb_to_recordset($1::jsonb) AS g(id text, name text, title text, description text, image_url text, type text)`,
    [
      JSON.stringify([
        ...organizations.map((row) => ({ ...row, type: 'organization' })),
        ...groups.map((row) => ({ ...row, type: 'group' })),
      ]),
    ],
  );
}

/** Removes the datasets a measurement wrote, so that every round finds the same catalog. */
export async function removeWritten({ client }) {
  await client.query(
    "DELETE FROM dataset_history WHERE dataset_id IN (SELECT id FROM dataset WHERE name LIKE 'bench-%')",
  );
  await client.query("DELETE FROM dataset WHERE name LIKE 'bench-%'");
}
