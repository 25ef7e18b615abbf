/** Backs up a catalog with all kinds of data and restores it elsewhere. Never changes a target that is not empty. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filesCheck } from '../../src/catalog/file/check.service.ts';
import { flushShapes } from '../../src/datastore/indexes/keep.service.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { backUp, catalogContents, datastoreContents, query, restoreFrom } from '../helpers/backups.ts';
import { ADMIN_URL, createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { IMAGES } from '../helpers/images.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';

let tables: Tables;
let settings: Settings;
let folder: string;
let file: string;
const ends: (() => Promise<void>)[] = [];

/** Settings with empty databases and an empty data folder. */
async function emptyPlace(overrides: Partial<Settings> = {}): Promise<Settings & { 'catalog.database_url': string }> {
  const [catalog, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
  ends.push(catalog.end, datastore.end);
  return settingsForTests({
    'catalog.database_url': catalog.url,
    'catalog.datastore.write_url': datastore.writeUrl,
    'catalog.datastore.read_url': datastore.readUrl,
    'catalog.data_dir': mkdtempSync(join(folder, 'place-')),
    ...overrides,
  }) as Settings & { 'catalog.database_url': string };
}

async function upload(
  action: string,
  field: string,
  content: Uint8Array<ArrayBuffer>,
  fields: Record<string, string>,
  key: string,
) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append(field, new Blob([content]), 'file.png');
  const answer = await tables.world.request(`/api/3/action/${action}`, {
    method: 'POST',
    body,
    headers: { authorization: key },
  });
  expect(answer.status).toBe(200);
  return answer.body.result;
}

const BIG = Buffer.alloc(9 * 2 ** 20, 'abcdefghij');
let loaded: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-backup-'));
  const dataDir = mkdtempSync(join(folder, 'source-'));
  tables = await createTables({ 'catalog.data_dir': dataDir, 'catalog.limits.upload': 2 ** 24 });
  const { world, organization, table } = tables;
  const admin = await world.make.sysadmin();
  await world.make.dataset({ tags: [{ name: 'Ünïcode' }], title: 'Line\nline\ttab \\N \\. "x"' } as never);
  const { id } = await world.make.dataset({ ownerOrganization: organization.id });
  await upload('resource_create', 'upload', BIG, { package_id: id, url: '' }, admin.key);
  await upload('resource_create', 'upload', Buffer.alloc(0), { package_id: id, url: '' }, admin.key);
  await upload('group_create', 'image_upload', IMAGES.png, { name: 'with-image' }, admin.key);
  await table({
    fields: [
      { id: 'name', type: 'text', info: { label: 'Name "quoted"', notes: 'a\\b' } },
      { id: 'at', type: 'timestamp' },
      { id: 'n', type: 'numeric(10,2)' },
      { id: 'list', type: 'int[]' },
      { id: 'any', type: 'json' },
    ],
    records: [
      { name: 'a', at: '2026-11-24T03:00:00', n: 1.25, list: [1, 2], any: { x: [1] } },
      { name: '\\N', at: null, n: null, list: null, any: null },
    ],
    primary_key: ['name'],
    indexes: ['n', ['at', 'n']],
    aliases: ['an_alias', 'Another one'],
  });
  await table({ fields: [{ id: 'empty', type: 'int8' }] });
  loaded = await table({ records: [{ x: 1 }, { x: 2 }, { x: 3 }] });
  await tables.write('datastore_delete', { resource_id: loaded, filters: { x: 3 } });
  settings = {
    ...world.settings,
    'catalog.database_url': world.database.url,
    'catalog.secret': 'a secret of this test',
  };
  await flushShapes(world.app.callAs(world.system)); // the server would store them only after the backup
  const made = await backUp(settings, join(folder, 'backups'));
  file = made.file;
  expect(made.text).toMatch(/3 tables of the DataStore, 3 files, \d+\.\d MiB in/);
});
afterAll(async () => {
  await tables?.world.end();
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

it('writes one file that only its owner can read', () => {
  expect(file).toMatch(/\/backups\/catalog-\d{8}T\d{6}Z\.tar$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'backups')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
});

it('restores both databases, files and the secret unchanged', async () => {
  const place = await emptyPlace();
  const text = await restoreFrom(place, file);
  expect(text).toContain('3 tables of the DataStore, 3 files. All counts match.');
  expect(await catalogContents(place['catalog.database_url'])).toEqual(
    await catalogContents(tables.world.database.url),
  );
  const [was, is] = [settings, place].map((it) => it['catalog.datastore.write_url']!);
  expect(await datastoreContents(is!)).toEqual(await datastoreContents(was!));
  const secret = join(place['catalog.data_dir'], 'secret');
  expect(readFileSync(secret, 'utf8').trim()).toBe('a secret of this test');
  expect(statSync(secret).mode & 0o777).toBe(0o600);
  const stored = (dir: string) =>
    (readdirSync(join(dir, 'files'), { recursive: true }) as string[])
      .filter((name) => /[0-9a-f]{64}$/.test(name))
      .map((name) => [name, readFileSync(join(dir, 'files', name)).toString('latin1')]);
  expect(stored(place['catalog.data_dir'])).toEqual(stored(settings['catalog.data_dir']));
  expect(stored(place['catalog.data_dir'])).toHaveLength(3);
});

it('assigns new row ids after those of the backup', async () => {
  const place = await emptyPlace();
  await restoreFrom(place, file);
  const url = place['catalog.datastore.write_url']!;
  const [row] = await query(url, `INSERT INTO "${loaded}" (x) VALUES ('4') RETURNING _id`);
  expect(row).toEqual({ _id: 4 }); // the deleted row had the id 3
});

it('assigns transaction ids of the new server to changes and index rows', async () => {
  const place = await emptyPlace();
  await restoreFrom(place, file);
  const late = `SELECT count(*)::int AS n FROM (SELECT transaction_id AS x FROM change UNION ALL SELECT written FROM dataset_search) t
    WHERE x >= pg_snapshot_xmin(pg_current_snapshot())`;
  expect(await query(place['catalog.database_url'], late)).toEqual([{ n: 0 }]);
});

it('refuses a target that is not empty, names each such part, and writes nothing', async () => {
  const place = await emptyPlace();
  const url = place['catalog.database_url'];
  const name = new URL(url).pathname.slice(1);
  await restoreFrom(place, file);
  const before = await catalogContents(url);
  await expect(restoreFrom(place, file)).rejects.toThrow(
    new RegExp(
      `the database "${name}" has data in .*and others; the database "test_datastore_\\w+" has the tables .*; ${place['catalog.data_dir']}/files has files`,
    ),
  );
  expect(await catalogContents(url)).toEqual(before);
  const other = await emptyPlace({ 'catalog.data_dir': place['catalog.data_dir'] });
  await expect(restoreFrom(other, file)).rejects.toThrow(/place only: [^;]*files has files\. Nothing was restored/);
  const inDatastore = await emptyPlace({
    'catalog.datastore.write_url': place['catalog.datastore.write_url'],
    'catalog.datastore.read_url': place['catalog.datastore.read_url'],
  });
  await expect(restoreFrom(inDatastore, file)).rejects.toThrow(
    /place only: the database "test_datastore_\w+" has the tables [^;]*\. Nothing/,
  );
  expect(existsSync(join(inDatastore['catalog.data_dir'], 'secret'))).toBe(false);
});

it("skips tables and columns that were added to the catalog's database", async () => {
  const { url } = tables.world.database;
  const before = await catalogContents(url);
  await query(url, 'CREATE TABLE "Dataset 2024/a" AS SELECT 1 AS x; CREATE TABLE dataset_old AS SELECT * FROM dataset');
  await query(url, `ALTER TABLE dataset ADD COLUMN "Own note" int DEFAULT 3`);
  try {
    const made = await backUp(settings, join(folder, 'others'));
    expect(made.text.split('\n').filter((line) => line.startsWith('!'))).toEqual([
      '! not copied: table "Dataset 2024/a", which no migration has made',
      '! not copied: table "dataset_old", which no migration has made',
    ]);
    const place = await emptyPlace();
    expect(await restoreFrom(place, made.file)).toContain('All counts match.');
    expect(await catalogContents(place['catalog.database_url'])).toEqual(before);
  } finally {
    await query(url, 'DROP TABLE "Dataset 2024/a", dataset_old');
    await query(url, 'ALTER TABLE dataset DROP COLUMN "Own note"');
  }
});

it('restores into databases with an extension', async () => {
  const place = await emptyPlace();
  const urls = [place['catalog.database_url'], place['catalog.datastore.write_url']!];
  for (const url of urls) {
    const admin = new URL(process.env[ADMIN_URL]!);
    admin.pathname = new URL(url).pathname;
    await query(admin.href, 'CREATE EXTENSION pg_stat_statements');
  }
  expect(await restoreFrom(place, file)).toContain('All counts match.');
  const made = await backUp({ ...place, 'catalog.secret': settings['catalog.secret'] }, join(folder, 'extension'));
  expect(made.text).toMatch(/3 tables of the DataStore/);
});

it('refuses a different secret before it writes anything', async () => {
  const place = await emptyPlace({ 'catalog.secret': 'another secret of a site' });
  await expect(restoreFrom(place, file)).rejects.toThrow('catalog.secret is not the secret of the backup');
  const second = await emptyPlace();
  writeFileSync(join(second['catalog.data_dir'], 'secret'), 'another secret of a site\n');
  await expect(restoreFrom(second, file)).rejects.toThrow('/secret is not the secret of the backup');
  expect(await query(second['catalog.database_url'], `SELECT to_regclass('dataset')::text AS t`)).toEqual([
    { t: null },
  ]);
});

it('requires a DataStore if the backup has one', async () => {
  const place = await emptyPlace({ 'catalog.datastore.write_url': null, 'catalog.datastore.read_url': null });
  await expect(restoreFrom(place, file)).rejects.toThrow(
    'the backup has a DataStore, but catalog.datastore.write_url is not set',
  );
});

it('restores into the schema that a reset keeps', async () => {
  const place = await emptyPlace();
  await restoreFrom(place, file);
  const { command } = await import('../../src/cli/reset.ts');
  await command(['--yes'], { settings: place, log: (await import('pino')).pino({ level: 'silent' }) });
  rmSync(join(place['catalog.data_dir'], 'files'), { recursive: true });
  expect(await restoreFrom(place, file)).toContain('All counts match.');
});

it('writes nothing of a damaged backup, and undoes a failed restore', async () => {
  const bytes = readFileSync(file);
  const damaged = join(folder, 'damaged.tar');
  const place = await emptyPlace();
  const url = place['catalog.database_url'];
  const isUntouched = async () => {
    expect(await query(url, `SELECT to_regclass('dataset')::text AS t`)).toEqual([{ t: null }]);
    expect(
      (await datastoreContents(place['catalog.datastore.write_url']!).catch(() => ({ tables: [] }))).tables,
    ).toEqual([]);
    expect(existsSync(join(place['catalog.data_dir'], 'secret'))).toBe(false);
    const left = existsSync(join(place['catalog.data_dir'], 'files'))
      ? readdirSync(join(place['catalog.data_dir'], 'files'), { recursive: true, withFileTypes: true }).filter((it) =>
          it.isFile(),
        )
      : [];
    expect(left).toEqual([]);
  };
  const flipped = Buffer.from(bytes);
  flipped[flipped.length - 3_000_000] = flipped[flipped.length - 3_000_000]! ^ 4;
  writeFileSync(damaged, flipped);
  await expect(restoreFrom(place, damaged)).rejects.toThrow('The backup is damaged (checksum of member files/');
  await isUntouched();
  writeFileSync(damaged, bytes.subarray(0, bytes.length - 4096));
  await expect(restoreFrom(place, damaged)).rejects.toThrow('it ends early');
  await isUntouched();
  // The files folder turns out not to be a folder after both databases were filled.
  writeFileSync(join(place['catalog.data_dir'], 'files'), '');
  await expect(restoreFrom(place, file)).rejects.toThrow(/ENOTDIR|EEXIST/);
  rmSync(join(place['catalog.data_dir'], 'files'));
  await isUntouched();
  expect(await restoreFrom(place, file)).toContain('All counts match.');
});

it('explains invalid archives and targets', async () => {
  await expect(restoreFrom(settings, join(folder, 'none.tar'))).rejects.toThrow('none.tar does not exist');
  await expect(restoreFrom(settings, folder)).rejects.toThrow('is not a file. Name one backup');
  await expect(
    backUp({ ...settings, 'catalog.database_url': (await emptyPlace())['catalog.database_url'] }, folder),
  ).rejects.toThrow('The database has no catalog yet');
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  writeFileSync(join(folder, 'blocked'), '');
  chmodSync(join(folder, 'blocked'), 0o600);
  await expect(backUp(settings, join(folder, 'blocked'))).rejects.toThrow('EEXIST');
});

it('keeps the files of its point in time until its end, and names missing files', async () => {
  const { world } = tables;
  const call = world.app.callAs(world.system);
  const { blobs } = call.stores;
  const { beginBackup } = await import('../../src/backup/backup.ts');
  const { id } = await world.make.dataset();
  const admin = await world.make.sysadmin();
  const made = await upload(
    'resource_create',
    'upload',
    Buffer.from('soon gone'),
    { package_id: id, url: '' },
    admin.key,
  );
  const [{ key }] = await query(world.database.url, 'SELECT key FROM resource_file WHERE resource_id = $1', [made.id]);
  const options = {
    catalogUrl: world.database.url,
    datastoreUrl: null,
    blobs,
    secret: 'x',
    settings: {},
    onProgress: () => {},
  };
  const backup = await beginBackup(options);
  await expect(beginBackup(options)).rejects.toThrow('Another backup of this catalog is running');
  await world.result('resource_delete', { id: made.id }, { as: admin });
  expect(await blobs.has(key)).toBe(true);
  for await (const _chunk of Readable.from(backup.bytes));
  await backup.close();
  expect(backup.result.missing).toEqual([]);
  await upload('resource_create', 'upload', Buffer.from('x'), { package_id: id, url: '' }, admin.key);
  await world.result('dataset_purge', { id }, { as: admin });
  expect(await blobs.has(key)).toBe(false);
  const [{ key: lost }] = await query(world.database.url, 'SELECT key FROM image_file');
  await blobs.remove(lost);
  const { file: incomplete, text } = await backUp(settings, join(folder, 'incomplete'));
  expect(text).toContain(`! missing: file ${lost}`);
  const place = await emptyPlace();
  expect(await restoreFrom(place, incomplete)).toContain('2 files. All counts match.');
  expect((await filesCheck(call)).missing).toHaveLength(1);
});

it('refuses a store without any file of the catalog', async () => {
  const elsewhere = { ...settings, 'catalog.data_dir': mkdtempSync(join(folder, 'elsewhere-')) };
  await expect(backUp(elsewhere, join(folder, 'without-files'))).rejects.toThrow('The archive has no files');
});

it("refuses a data folder without the server's secret", async () => {
  const elsewhere = {
    ...settings,
    'catalog.database_url': null, // creates no database, either
    'catalog.data_dir': mkdtempSync(join(folder, 'elsewhere-')),
    'catalog.secret': null,
  };
  await expect(backUp(elsewhere, join(folder, 'of-elsewhere'))).rejects.toThrow('has no site secret');
  expect(readdirSync(elsewhere['catalog.data_dir'])).toEqual([]);
  expect(existsSync(join(folder, 'of-elsewhere'))).toBe(false);
});

describe('a restore stopped by a signal', () => {
  /** Starts a command as its own process, with the settings of a target. */
  function command(place: Settings, ...words: string[]): ChildProcess {
    const names = [
      'catalog.database_url',
      'catalog.datastore.write_url',
      'catalog.datastore.read_url',
      'catalog.data_dir',
      'catalog.secret',
    ] as const;
    const config = join(mkdtempSync(join(folder, 'config-')), 'catalog.yaml');
    writeFileSync(config, JSON.stringify(Object.fromEntries(names.map((name) => [name, place[name]]))));
    return spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), ...words], {
      cwd: folder,
      env: { ...process.env, CATALOG_CONFIG: config },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
  async function ended(child: ChildProcess): Promise<{ code: number | null; err: string }> {
    let err = '';
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      err += text;
    });
    child.stdout!.on('data', () => {});
    const [code] = await once(child, 'close');
    return { code, err };
  }

  it('removes its writes', async () => {
    const place = await emptyPlace({ 'catalog.secret': null });
    const child = command(place, 'restore', file);
    const result = ended(child);
    const tablesOf = () =>
      query(
        place['catalog.datastore.write_url']!,
        `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> '_row_counts'`,
      );
    await until(async () => (await tablesOf()).length > 0);
    child.kill('SIGINT');
    expect(await result).toEqual({ code: 1, err: expect.stringContaining('Stopped by SIGINT.') });
    expect(await tablesOf()).toEqual([]);
    expect(
      readdirSync(place['catalog.data_dir'], { recursive: true }).filter((name) =>
        /[0-9a-f]{64}|secret/.test(String(name)),
      ),
    ).toEqual([]);
    expect(await restoreFrom(place, file)).toContain('All counts match.');
  });
});
