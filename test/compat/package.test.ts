/** The catalog as a package: packed, installed into an empty folder, and served from another folder on its embedded PostgreSQL. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { version } from '../../src/kernel/version.ts';
import { freePort } from '../helpers/port.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);

let folder: string;
let home: string;
let files: string[];
let server: ChildProcess | undefined;
const catalog = () => join(folder, 'node_modules/.bin/catalog');

/** Settings of the caller are not passed to the program. */
const env = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: home,
  CATALOG__LOG_LEVEL: 'error',
  ...more,
});

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-package-')));
  home = join(folder, 'home');
  mkdirSync(home);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: projectRoot });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  files = packed.files.map(({ path }: { path: string }) => path);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const how = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await run('npm', ['install', ...how, `./${packed.filename}`], { cwd: folder });
}, INSTALL_TIMEOUT);
afterAll(() => {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

it('has no sources, tests or settings of the checkout', () => {
  const roots = [...new Set(files.map((path) => path.split('/')[0]))].sort();
  expect(roots).toEqual(
    [
      'LICENSE',
      'README.md',
      'demo',
      'dist',
      'facades',
      'package.json',
      'prisma',
      'schema',
      'schema.graphql',
      'scripts',
      'solr',
    ].sort(),
  );
  expect(files.filter((path) => /\.(ts|tsx|map)$|^\./.test(path))).toEqual([]);
});

it('prints its version in any folder, and creates no files there', async () => {
  const { stdout } = await run(catalog(), ['--version'], { cwd: home, env: env() });
  expect(stdout).toBe(`catalog ${version} (Node ${process.versions.node})\n`);
  expect(readdirSync(home)).toEqual([]);
});

it('serves a catalog in the working directory, where commands find it', async () => {
  const port = await freePort();
  const more = { CATALOG__PORT: String(port), CATALOG__HOST: '127.0.0.1' };
  server = spawn(catalog(), ['serve'], { cwd: home, env: env(more), stdio: 'ignore' });
  const ended = new Promise((resolve) => server!.once('exit', resolve));
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  await until(() =>
    get('/readyz').then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const list = await (await get('/api/3/action/package_list')).json();
  expect(list).toMatchObject({ success: true, result: [] });
  for (const path of ['/', '/dataset', '/graphiql', '/api/docs', '/openapi.json'])
    expect([path, (await get(path)).status]).toEqual([path, 200]);
  const users = await run(catalog(), ['sysadmin', 'list', '--json'], { cwd: home, env: env() });
  expect(JSON.parse(users.stdout)).toContainEqual(expect.objectContaining({ name: 'admin', sysadmin: true }));
  const doctor = await run(catalog(), ['doctor', '--full'], { cwd: home, env: env(more) });
  expect(doctor.stdout).not.toContain('FAILED');
  expect(existsSync(join(home, 'data/secret'))).toBe(true);
  expect(existsSync(join(folder, 'node_modules/catalog-gateway/data'))).toBe(false);
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
});
