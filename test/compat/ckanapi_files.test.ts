/** Files and logos from one catalog to another by the client that most portals use for it, unmodified. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { IMAGES } from '../helpers/images.ts';
import type { TestUser } from '../helpers/make.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MINUTES = 60_000;

describeWith('python3 with venv', hasPython(), 'ckanapi 4.11', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-ckanapi-'));
  const worlds: { world: World; admin: TestUser }[] = [];
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    env = await installPython('ckanapi', '4.11');
    for (const place of ['old', 'new']) {
      const world = await createWorld({
        'catalog.data_dir': join(folder, place),
        'catalog.site_url': 'http://127.0.0.1',
      });
      worlds.push({ world, admin: await world.make.sysadmin() });
    }
  }, 3 * MINUTES);
  afterAll(async () => {
    for (const { world } of worlds) await world.end();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ckanapi({ world, admin }: (typeof worlds)[number], ...words: string[]): Promise<void> {
    await promisify(execFile)('ckanapi', [...words, '-r', world.base, '-a', admin.key], { env });
  }

  async function send(
    { world, admin }: (typeof worlds)[number],
    action: string,
    field: string,
    fields: Record<string, string>,
  ) {
    const body = new FormData();
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    body.append(field, new Blob([IMAGES.png]), 'Picture 1.png');
    return world.request(`/api/3/action/${action}`, { method: 'POST', body, headers: { authorization: admin.key } });
  }

  it(
    'moves files of resources and logos of organizations',
    async () => {
      const [from, to] = worlds as [(typeof worlds)[number], (typeof worlds)[number]];
      await send(from, 'organization_create', 'image_upload', { name: 'waters', title: 'Waters' });
      await from.world.result('package_create', { name: 'rivers', owner_org: 'waters' }, { as: from.admin });
      await send(from, 'resource_create', 'upload', { package_id: 'rivers', url: '' });
      for (const [kind, option] of [
        ['organizations', '--upload-logo'],
        ['datasets', '--upload-resources'],
      ] as const) {
        const file = join(folder, `${kind}.jsonl`);
        await ckanapi(
          from,
          'dump',
          kind,
          '--all',
          ...(kind === 'organizations' ? ['--include-users'] : []),
          '-O',
          file,
        );
        // A server of a test has any port: the address that it gives is made true here.
        writeFileSync(file, readFileSync(file, 'utf8').replaceAll('http://127.0.0.1/', `${from.world.base}/`));
        await ckanapi(to, 'load', kind, option, '-I', file);
      }
      const logo = await to.world.result('organization_show', { id: 'waters' });
      expect(logo.image_url).toMatch(/picture.*\.png$/);
      const [resource] = (await to.world.result('package_show', { id: 'rivers' })).resources;
      expect(resource).toMatchObject({ url_type: 'upload', url: expect.stringMatching(/\/download\/picture-1\.png$/) });
      for (const url of [logo.image_display_url, resource.url]) {
        const got = await fetch(to.world.base + new URL(url).pathname);
        expect([got.status, Buffer.from(await got.arrayBuffer())]).toEqual([200, IMAGES.png]);
      }
    },
    3 * MINUTES,
  );
});
