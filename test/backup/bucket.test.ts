/** Backups to and from a bucket, with files in a bucket, and restores from a bucket into a folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { filesCheck } from '../../src/catalog/file/check.service.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { backUp, query, restoreFrom } from '../helpers/backups.ts';
import { createDatastore, createEmptyDatabase } from '../helpers/database.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { inBucket, type TestStore } from '../helpers/stores.ts';
import { createTables, type Tables } from '../helpers/tables.ts';

inBucket((start) => {
  let store: TestStore;
  let tables: Tables;
  let folder: string;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'catalog-bucket-'));
    store = await start();
    tables = await createTables(store.settings);
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await tables?.world.end();
    for (const end of ends) await end();
    await store?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function place(overrides: object) {
    const [catalog, datastore] = await Promise.all([createEmptyDatabase(), createDatastore()]);
    ends.push(catalog.end, datastore.end);
    return settingsForTests({
      ...store.settings,
      'catalog.database_url': catalog.url,
      'catalog.datastore.write_url': datastore.writeUrl,
      'catalog.datastore.read_url': datastore.readUrl,
      'catalog.data_dir': mkdtempSync(join(folder, 'place-')),
      ...overrides,
    });
  }

  it('writes an archive into a bucket, and restores it from there', async () => {
    const { world } = tables;
    const admin = await world.make.sysadmin();
    const { id } = await world.make.dataset();
    await tables.table({ records: [{ x: 1 }] });
    const body = new FormData();
    body.append('package_id', id);
    body.append('url', '');
    body.append('upload', new Blob(['in a bucket']), 'a.txt');
    await world.request('/api/3/action/resource_create', {
      method: 'POST',
      body,
      headers: { authorization: admin.key },
    });
    const settings = {
      ...world.settings,
      'catalog.database_url': world.database.url,
      'catalog.secret': 'a secret of this test',
    };
    const bucket = settings['catalog.files.bucket'];
    const { file } = await backUp(settings, `s3://${bucket}/backups`);
    expect(file).toMatch(new RegExp(`^s3://${bucket}/backups/catalog-\\d{8}T\\d{6}Z\\.tar$`));
    await expect(restoreFrom(await place({}), file)).rejects.toThrow(
      `place only: ${bucket} has files. Nothing was restored`,
    );
    for (const target of [
      await place({ 'catalog.files.prefix': 'restored/' }),
      await place({ 'catalog.files.bucket': null }),
    ])
      expect(await restoreFrom(target, file)).toContain('1 tables of the DataStore, 1 files. All counts match.');
    expect((await store.stored()).length).toBeGreaterThan(0);
    expect((await filesCheck(world.app.callAs(world.system))).missing).toEqual([]);
    expect(await query(world.database.url, 'SELECT count(*)::int AS n FROM resource_file')).toEqual([{ n: 1 }]);
  });

  it('reports the reason of a refusal by the store', async () => {
    const settings = await place({ 'catalog.files.bucket': null });
    await expect(restoreFrom(settings, 's3://catalog-tests/none.tar')).rejects.toThrow(
      's3://catalog-tests/none.tar does not exist',
    );
    await expect(restoreFrom(settings, 's3://catalog-tests')).rejects.toThrow('names no object');
    const source = {
      ...tables.world.settings,
      'catalog.database_url': tables.world.database.url,
      'catalog.secret': 'a secret of this test',
    };
    await expect(backUp(source, 's3://no-such-bucket/')).rejects.toThrow(
      /^s3:\/\/no-such-bucket\/catalog-.*the object store refused it \(NoSuchBucket/,
    );
  });
});
