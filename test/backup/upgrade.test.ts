/** Embedded data of an older major version of PostgreSQL is refused with instructions, which upgrade it. The old data stays. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { documentsCheck } from '../../src/catalog/dataset/read/documents.service.ts';
import { datasetCreate } from '../../src/catalog/dataset/write/write.service.ts';
import { command as backup } from '../../src/cli/backup.ts';
import { operator, withCatalog } from '../../src/cli/catalog.ts';
import { startEmbedded } from '../../src/embedded/embedded.ts';
import { findFolders } from '../../src/embedded/place.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { restoreFrom } from '../helpers/backups.ts';
import { describeWith } from '../helpers/runtime.ts';

const INSTALLED = '/usr/lib/postgresql';
const older = existsSync(INSTALLED)
  ? readdirSync(INSTALLED).find(
      (major) => Number(major) >= 14 && Number(major) < 18 && existsSync(join(INSTALLED, major, 'bin/initdb')),
    )
  : undefined;
const programs = join(INSTALLED, String(older));

describeWith('an older PostgreSQL', older !== undefined, 'data of an older PostgreSQL', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-upgrade-'));
  const dataDir = join(folder, 'data');
  const settings = settingsForTests({ 'catalog.data_dir': dataDir });
  const context = { settings, log: pino({ level: 'silent' }) };
  spawnSync('chmod', ['711', folder]);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is upgraded by a backup with the older programs', async () => {
    const { cluster, account, base } = findFolders(dataDir);
    const made = spawnSync(
      join(programs, 'bin/initdb'),
      [
        '-D',
        cluster,
        '-U',
        'postgres',
        '--auth-local=trust',
        '--auth-host=reject',
        '-E',
        'UTF8',
        '--locale=C.UTF-8',
        '--no-sync',
      ],
      { ...account, cwd: base, encoding: 'utf8' },
    );
    expect(made).toMatchObject({ status: 0 });
    await expect(withCatalog(context, async () => {})).rejects.toThrow(
      `created by PostgreSQL ${older}, but this is PostgreSQL 18. To upgrade, install the programs of PostgreSQL ${older} and run: catalog backup FOLDER --programs /usr/lib/postgresql/${older}.`,
    );
    const old = await startEmbedded({ dataDir, durable: false, programs });
    const own = {
      ...settings,
      'catalog.database_url': old.catalogUrl,
      'catalog.datastore.write_url': old.datastoreWriteUrl,
      'catalog.datastore.read_url': old.datastoreReadUrl,
    };
    const { id } = await withCatalog({ ...context, settings: own }, async ({ app }) =>
      datasetCreate(app.callAs(operator), { name: 'old', title: 'Written by an older PostgreSQL' } as never),
    );
    await old.stop();
    await expect(backup([folder, '--programs', '/nowhere'], context)).rejects.toThrow(
      '/nowhere has no PostgreSQL program',
    );
    await backup([join(folder, 'backups'), '--programs', programs], context);
    const [file] = readdirSync(join(folder, 'backups'));
    renameSync(dataDir, join(folder, 'old'));
    expect(await restoreFrom(settings, join(folder, 'backups', file!))).toContain('All counts match.');
    await withCatalog(context, async ({ app, database }) => {
      const [row] = await database.sql.rows<{ id: string; version: string }>({
        text: `SELECT id, current_setting('server_version') AS version FROM dataset`,
      });
      expect(row).toMatchObject({ id, version: expect.stringMatching(/^18/) });
      for await (const { faults } of documentsCheck(app.callAs(operator))) expect(faults).toEqual([]);
    });
    expect(readFileSync(join(folder, 'old/postgres/cluster/PG_VERSION'), 'utf8').trim()).toBe(older);
  });
});
