/** `catalog trash purge`, killed half-way: each dataset is either complete or purged. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { runCommand } from '../helpers/command.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const COUNT = 150;

let world: World;
let root: TestUser;
beforeAll(async () => {
  world = await createWorld();
  root = await world.make.sysadmin();
});
afterAll(() => world.end());

const run = (...words: string[]) => runCommand({ 'catalog.database_url': world.database.url }, ...words);
const count = async (from: string): Promise<number> =>
  Number((await world.database.pool.query(`SELECT count(*) FROM ${from}`)).rows[0].count);

it('leaves no partly purged dataset', async () => {
  for (let index = 0; index < COUNT; index += 1) {
    const name = `d-${index}`;
    const resources = [{ url: 'http://a.example/x.csv' }];
    await world.result('package_create', { name, resources, tags: [{ name: 'old' }] }, { as: root });
    await world.result('package_delete', { id: name }, { as: root });
  }
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'trash', 'purge', '--yes'], {
    cwd: projectRoot,
    stdio: 'ignore',
    env: {
      ...process.env,
      DATABASE_URL: world.database.url,
      CATALOG__LOG_LEVEL: 'error',
      CATALOG__DATA_DIR: settingsForTests()['catalog.data_dir'],
    },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until(async () => (await count('dataset')) < COUNT - 5);
  child.kill('SIGKILL');
  await ended;
  const left = await count('dataset');
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(COUNT);
  for (const part of ['dataset_document', `dataset_search WHERE state <> 'purged'`, 'resource', 'dataset_tag'])
    expect([part, await count(part)]).toEqual([part, left]);
  expect(await count(`change WHERE action = 'purged'`)).toBe(COUNT - left);
  expect(await count(`dataset_history h WHERE NOT EXISTS (SELECT FROM dataset d WHERE d.id = h.dataset_id)`)).toBe(0);
  for (const words of [
    ['documents', 'check'],
    ['search', 'check'],
    ['statistics', 'check'],
  ])
    expect(await run(...words)).toMatchObject({ code: 0, err: '' });
  expect((await run('trash', 'purge', '--yes')).out).toBe(`${left} purged.`);
  expect(await count('dataset')).toBe(0);
});
