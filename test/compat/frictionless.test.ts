/** The frictionless client for data packages, unmodified: publishes a package with files, reads it back, and lists an organization. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { freePort } from '../helpers/port.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld } from '../helpers/world.ts';

const MINUTES = 60_000;

describeWith('python3 with venv', hasPython(), 'frictionless 5.21', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = await installPython('frictionless[ckan]', '5.21.0');
  }, INSTALL_TIMEOUT);

  it.each(['2.4', '2.11'] as const)(
    'publishes and reads a package (level %s)',
    async (level) => {
      const port = await freePort(); // files are fetched from the site's own address
      const world = await createWorld({
        'catalog.port': port,
        'catalog.site_url': `http://127.0.0.1:${port}`,
        'catalog.action_api.level': level,
      });
      const folder = mkdtempSync(join(tmpdir(), 'catalog-frictionless-'));
      try {
        const { key } = await world.make.sysadmin();
        await world.result('organization_create', { name: 'rivers' }, { as: { key } as never });
        const walk = join(projectRoot, 'test/compat/clients/publish_and_read.py');
        const { stdout } = await promisify(execFile)('python', [walk, world.base, key, folder], { env });
        expect(JSON.parse(stdout)).toEqual({
          url: `${world.base}/dataset/river-levels`,
          title: 'River levels',
          tables: {
            stations: [
              [1, 'Thames at Kew', '4.5'],
              [2, 'Ōta, 東京', '12.25'],
            ],
            readings: [
              [1, '0.5', '2026-01-01'],
              [2, '1.75', '2026-01-02'],
            ],
          },
          types: { stations: ['integer', 'string', 'number'], readings: ['integer', 'number', 'date'] },
          catalog: ['river-levels'],
          refused: expect.stringContaining('Not Found Error'),
          // It checks only the status, so it takes a refusal with status 200 for a success, and finds no result in it.
          forbidden: expect.stringContaining(level === '2.4' ? "KeyError('result')" : 'Authorization Error'),
        });
      } finally {
        await world.end();
        rmSync(folder, { recursive: true });
      }
    },
    MINUTES,
  );
});
