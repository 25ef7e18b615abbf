/** Every command of ckanapi, the client that portals script with, unmodified, between two catalogs. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../helpers/port.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MINUTES = 60_000;
/** The smallest PNG: one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Portal {
  readonly world: World;
  readonly key: string;
}

describeWith('python3 with venv', hasPython(), 'the commands of ckanapi 4.11', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-ckanapi-commands-'));
  const file = (name: string) => join(folder, name);
  let env: NodeJS.ProcessEnv;
  let from: Portal;
  let to: Portal;

  /** A catalog at its own address, from which files are fetched, with its administrator's key. */
  async function open(): Promise<Portal> {
    const port = await freePort();
    const world = await createWorld({
      'catalog.port': port,
      'catalog.site_url': `http://127.0.0.1:${port}`,
      'catalog.data_dir': mkdtempSync(join(folder, 'data-')),
    });
    return { world, key: (await world.make.sysadmin()).key };
  }
  beforeAll(async () => {
    env = await installPython('ckanapi', '4.11');
    from = await open();
    to = await open();
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await Promise.all([from?.world.end(), to?.world.end()]);
    rmSync(folder, { recursive: true });
  });

  /** Runs the client and returns its output. Throws if its exit code reports a failure. */
  async function ckanapi({ world, key }: Portal, ...words: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('ckanapi', [...words, '-r', world.base, '-a', key], { env });
    return stdout;
  }
  const call = ({ world, key }: Portal, name: string, params: object = {}) =>
    world.result(name, params as Record<string, unknown>, { headers: { authorization: key } });
  const lines = (name: string): any[] =>
    readFileSync(file(name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const write = (name: string, records: readonly object[]) =>
    writeFileSync(file(name), records.map((record) => `${JSON.stringify(record)}\n`).join(''));

  it(
    'load and dump users',
    async () => {
      const users = ['ann', 'bob'].map((name) => ({ name, email: `${name}@example.com`, password: 'long enough' }));
      write('users.jsonl', users);
      await ckanapi(from, 'load', 'users', '-I', file('users.jsonl'));
      await ckanapi(from, 'dump', 'users', '--all', '-O', file('users.out.jsonl'));
      const dumped = lines('users.out.jsonl').filter(({ name }) => ['ann', 'bob'].includes(name));
      expect(dumped).toMatchObject([
        { name: 'ann', email: 'ann@example.com', state: 'active' },
        { name: 'bob', email: 'bob@example.com', state: 'active' },
      ]);
      write(
        'users.jsonl',
        dumped.map((user) => ({ ...user, fullname: `${user.name} Example` })),
      ); // as dumped, with a new full name
      await ckanapi(from, 'load', 'users', '-I', file('users.jsonl'));
      expect(await call(from, 'user_show', { id: 'bob' })).toMatchObject({ fullname: 'bob Example' });
    },
    MINUTES,
  );

  it(
    'run a batch with files',
    async () => {
      writeFileSync(file('levels.csv'), 'river,level\nThames,1.5\n');
      writeFileSync(file('logo.png'), PNG);
      write('batch.jsonl', [
        {
          action: 'organization_create',
          data: { name: 'rivers', title: 'Rivers' },
          files: { image_upload: file('logo.png') },
        },
        { action: 'group_create', data: { name: 'water', title: 'Water' } },
        {
          action: 'package_create',
          data: { name: 'levels', title: 'Levels', owner_org: 'rivers', groups: [{ name: 'water' }] },
        },
        { action: 'package_create', data: { name: 'hidden', owner_org: 'rivers', private: true } },
        {
          action: 'resource_create',
          data: { package_id: 'levels', name: 'Levels', url: '' },
          files: { upload: file('levels.csv') },
        },
        { action: 'package_create', data: { name: 'Not a name' } },
      ]);
      await ckanapi(from, 'batch', '--local-files', '-I', file('batch.jsonl'), '-l', file('batch.log'));
      const outcomes = lines('batch.log').map(([, , action, error]) => [action, error]);
      expect(outcomes).toEqual([
        ['organization_create', null],
        ['group_create', null],
        ['package_create', null],
        ['package_create', null],
        ['resource_create', null],
        ['package_create', 'ValidationError'],
      ]);
    },
    MINUTES,
  );

  it(
    'copy organizations with logos, groups, and datasets with files to another catalog',
    async () => {
      for (const kind of ['organizations', 'groups', 'datasets']) {
        await ckanapi(from, 'dump', kind, '--all', '-O', file(`${kind}.jsonl`));
        // The client cannot load a group without a logo while it copies logos.
        const how = { organizations: ['--upload-logo'], datasets: ['--upload-resources'] }[kind] ?? [];
        if (kind !== 'datasets')
          // members are listed by name, and those users are not in the other catalog
          write(
            `${kind}.jsonl`,
            lines(`${kind}.jsonl`).map((group) => ({ ...group, users: [] })),
          );
        await ckanapi(to, 'load', kind, '-I', file(`${kind}.jsonl`), ...how, '-l', file(`${kind}.log`));
        expect(lines(`${kind}.log`).map(([, , , error]) => error)).toEqual(lines(`${kind}.jsonl`).map(() => null));
      }
      const organization = await call(to, 'organization_show', { id: 'rivers' });
      expect(organization.image_display_url).toMatch(`${to.world.base}/uploads/group/`);
      expect(Buffer.from(await (await fetch(organization.image_display_url)).arrayBuffer())).toEqual(PNG);
      const { resources } = await call(to, 'package_show', { id: 'levels' });
      expect(resources[0].url).toMatch(`${to.world.base}/dataset/`);
      expect(await (await fetch(resources[0].url)).text()).toBe('river,level\nThames,1.5\n');
    },
    MINUTES,
  );

  it(
    'search datasets',
    async () => {
      await ckanapi(from, 'search', 'datasets', 'q=title:levels', '-O', file('found.jsonl'));
      expect(lines('found.jsonl')).toMatchObject([{ name: 'levels', title: 'Levels' }]);
      await ckanapi(from, 'search', 'datasets', 'include_private:true', '-O', file('all.jsonl'));
      expect(
        lines('all.jsonl')
          .map(({ name }) => name)
          .sort(),
      ).toEqual(['hidden', 'levels']);
    },
    MINUTES,
  );

  it(
    'call one action, and delete things of every kind',
    async () => {
      expect(JSON.parse(await ckanapi(from, 'action', 'package_show', 'id=levels', '-j'))).toMatchObject({
        name: 'levels',
      });
      for (const [kind, name, list] of [
        ['datasets', 'levels', 'package_list'],
        ['groups', 'water', 'group_list'],
        ['organizations', 'rivers', 'organization_list'],
        ['users', 'bob', 'user_list'],
      ] as const) {
        await ckanapi(from, 'delete', kind, name);
        const left = await call(from, list);
        expect(left.map((it: { name?: string }) => it.name ?? it)).not.toContain(name);
      }
    },
    MINUTES,
  );
});
