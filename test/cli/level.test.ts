/** The level of the Action API, as printed at each start and as applied to responses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { createDatabase } from '../helpers/database.ts';
import { startServer } from '../helpers/server.ts';

const MINUTES = 60_000;

it(
  'is printed at each start, with the settings that differ from it',
  async () => {
    const { url, end } = await createDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'catalog-level-'));
    const env = { CATALOG__DATABASE_URL: url, CATALOG__DATA_DIR: folder };
    const lines = (said: string) => said.split('\n').filter((line) => /\blevel 2/.test(line));
    const refused = async (base: string) => (await fetch(`${base}/api/3/action/package_show?id=none`)).status;
    try {
      const first = await startServer(env);
      expect(await refused(first.base)).toBe(200);
      await first.stop();
      expect(lines(first.said())).toEqual([
        '              level 2.4, suits clients of CKAN 2.4 (catalog.action_api.level)',
      ]);
      const later = { ...env, CATALOG__ACTION_API__LEVEL: '2.11', CATALOG__ACTION_API__FORMS: 'refuse' };
      const next = await startServer(later, { key: first.key });
      expect(await refused(next.base)).toBe(404);
      await next.stop();
      expect(lines(next.said())).toEqual([
        '              level 2.11, suits clients of CKAN 2.9 and later (catalog.action_api.level); with catalog.action_api.forms: refuse',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await end();
    }
  },
  5 * MINUTES,
);
