/** A world that holds the sample of real metadata. It is imported once per run: importing it anew takes most of the time of such tests. */
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pino } from 'pino';
import { withLock } from '../../scripts/stamp.mjs';
import { createApp } from '../../src/app.ts';
import { importFile } from '../../src/cli/import.ts';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { SAMPLE } from '../compat/sample.ts';
import { addressOf, provideTemplate } from './database.ts';
import { createWorld, MAIN, type World } from './world.ts';

/** An empty world, as `catalog import` fills it with the sample. */
export const createSampleWorld = async (): Promise<World> => createWorld({}, { template: await template() });

const template = (): Promise<string> => withLock('test-sample', () => provideTemplate('sample', fill));

async function fill(name: string): Promise<void> {
  const database = openDatabase({ url: addressOf(name, 'catalog_owner') });
  const settings = settingsForTests({ 'catalog.site_url': 'http://catalog.test', ...MAIN });
  const app = await createApp({ settings, database, secret: randomBytes(32), log: pino({ level: 'silent' }) });
  try {
    await importFile(app, createReadStream(SAMPLE), { report: () => {}, say: () => {}, stop: () => {} });
  } finally {
    await app.close();
    await database.close();
  }
}
