/** Commits whose response is lost: the caller learns that the outcome is unknown, and the committed data is complete. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { openBlobs } from '../../src/blobs/open.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { backUp, query, restoreFrom } from '../helpers/backups.ts';
import { IMAGES } from '../helpers/images.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

let dataDir: string;
let server: TestServer;
let admin: pg.Client;
/** URL of a database of the server's PostgreSQL. */
const urlOf = (database: string) =>
  `postgresql://postgres@localhost:5432/${database}?host=${encodeURIComponent(join(dataDir, 'postgres'))}&sslmode=disable`;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'catalog-commit-'));
  chmodSync(dataDir, 0o711);
  server = await startServer({ CATALOG__DATA_DIR: dataDir, CATALOG__DATABASE_URL: '' });
  admin = new pg.Client(urlOf('postgres'));
  await admin.connect();
});
afterAll(async () => {
  await admin?.end();
  await server?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Runs `write` while PostgreSQL commits locally, then waits for a standby that does not exist. Then closes the connection. */
async function withoutAnswer<T>(write: () => Promise<T>): Promise<T> {
  const wait = async (standbys: string) => {
    await admin.query(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
    await admin.query('SELECT pg_reload_conf()');
  };
  await wait('nobody');
  try {
    const written = write();
    let isOver = false;
    void written.catch(() => {}).then(() => (isOver = true));
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'`;
    // Repeats until the end, because the first commit may be one of the server's own.
    await until(async () => {
      await admin.query(cut);
      return isOver;
    });
    return await written;
  } finally {
    await wait('');
  }
}

async function send(action: string, fields: Record<string, string>, upload: [field: string, content: Buffer]) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set(upload[0], new Blob([new Uint8Array(upload[1])]), 'file.png');
  const answer = await fetch(`${server.base}/api/3/action/${action}`, {
    method: 'POST',
    headers: { authorization: server.key },
    body: form,
  });
  return { status: answer.status, text: await answer.text() };
}

const UNKNOWN = { status: 503, text: expect.stringContaining('the outcome is unknown') };

async function bytesAt(url: string): Promise<Buffer> {
  const { pathname } = new URL(url);
  const answer = await fetch(server.base + pathname, { headers: { authorization: server.key } });
  return Buffer.from(await answer.arrayBuffer());
}

const [FIRST, SECOND] = [Buffer.from('first'), Buffer.from('second')];

it('keeps the file of a new resource after a lost commit response', async () => {
  await server.call('package_create', { name: 'rivers' });
  const fields = { package_id: 'rivers', name: 'levels', url: 'file.png' };
  expect(await withoutAnswer(() => send('resource_create', fields, ['upload', FIRST]))).toEqual(UNKNOWN);
  const [{ url }] = (await server.call('package_show', { id: 'rivers' })).resources;
  expect(await bytesAt(url)).toEqual(FIRST);
});

it('keeps the new file of a resource after a lost commit response', async () => {
  const [{ id, url }] = (await server.call('package_show', { id: 'rivers' })).resources;
  expect(await withoutAnswer(() => send('resource_patch', { id }, ['upload', SECOND]))).toEqual(UNKNOWN);
  expect(await bytesAt(url)).toEqual(SECOND);
});

it('keeps the image of an organization after a lost commit response', async () => {
  const written = await withoutAnswer(() =>
    send('organization_create', { name: 'town' }, ['image_upload', IMAGES.png]),
  );
  expect(written).toEqual(UNKNOWN);
  expect(await bytesAt((await server.call('organization_show', { id: 'town' })).image_display_url)).toEqual(IMAGES.png);
});

it('keeps the secret and files of a restore after a lost commit response', async () => {
  const { file } = await backUp(
    settingsForTests({ 'catalog.database_url': urlOf('catalog'), 'catalog.data_dir': dataDir }),
    join(dataDir, 'backups'),
  );
  await admin.query('CREATE DATABASE restored');
  const place = join(dataDir, 'restored');
  const to = settingsForTests({ 'catalog.database_url': urlOf('restored'), 'catalog.data_dir': place });
  const restored = withoutAnswer(() => restoreFrom(to, file));
  await expect(restored).rejects.toThrow('broke during the commit, so the catalog has all rows or none');
  expect(await query(urlOf('restored'), 'SELECT name FROM dataset')).toEqual([{ name: 'rivers' }]);
  const blobs = await openBlobs(to, () => {});
  const keys = await query<{ key: string }>(urlOf('restored'), `SELECT key FROM image_file`);
  expect([existsSync(join(place, 'secret')), await blobs.has(keys[0]!.key)]).toEqual([true, true]);
  blobs.close();
});
