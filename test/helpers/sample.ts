/** A world with the sample of real metadata. The sample is imported once per run, since the import takes most of the time of tests. */
import { createHash, randomBytes } from 'node:crypto';
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

/** Records in the format of the sample, one per line: the sample, or a larger file. */
const FILE = process.env.CATALOG_TEST_SAMPLE ?? SAMPLE;
const KIND = FILE === SAMPLE ? 'sample' : `sample_${createHash('sha1').update(FILE).digest('hex').slice(0, 8)}`;

/** A world that `catalog import` has filled with the sample. `CATALOG_TEST_SAMPLE=PATH` uses another file. */
export const createSampleWorld = async (): Promise<World> => createWorld({}, { template: await template() });

const template = (): Promise<string> => withLock('test-sample', () => provideTemplate(KIND, fill));

async function fill(name: string): Promise<void> {
  const database = openDatabase({ url: addressOf(name, 'catalog_owner') });
  const settings = settingsForTests({ 'catalog.site_url': 'http://catalog.test', ...MAIN });
  const app = await createApp({ settings, database, secret: randomBytes(32), log: pino({ level: 'silent' }) });
  try {
    await importFile(app, createReadStream(FILE), { report: () => {}, say: () => {}, stop: () => {} });
  } finally {
    await app.close();
    await database.close();
  }
}
