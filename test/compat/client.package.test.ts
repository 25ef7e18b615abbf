/** clients/typescript as a package: packed, installed into an empty project, type-checked and run on each supported version of Node. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { installNode } from '../../scripts/nodes.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage } from '../helpers/browser.ts';
import { serveForeignPage } from '../helpers/foreign-page.ts';
import type { TestUser } from '../helpers/make.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const CLIENT = join(projectRoot, 'clients/typescript');
const TOOLS = ['typescript@5.9.3', '@types/node@20.19.43'];
const run = promisify(execFile);

let world: World;
let admin: TestUser;
let folder: string;
let packed: { filename: string; version: string; files: { path: string }[] };
beforeAll(async () => {
  const port = await freePort();
  world = await createWorld({ 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` });
  admin = await world.make.sysadmin();
  await world.datastore();
  folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: CLIENT });
  [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const how = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...how, `./${packed.filename}`, ...TOOLS], { cwd: folder });
  cpSync(join(projectRoot, 'test/compat/clients/package'), folder, { recursive: true });
  writeFileSync(join(folder, 'readme.ts'), examples());
  for (const [name, options] of Object.entries(PROJECTS))
    writeFileSync(
      join(folder, `${name}.json`),
      JSON.stringify({
        compilerOptions: { ...STRICT, ...options },
        files: ['program.ts', 'dashboard.ts', 'page.ts', 'readme.ts'],
      }),
    );
}, INSTALL_TIMEOUT);
afterAll(async () => {
  await world?.end();
  if (folder) rmSync(folder, { recursive: true });
});

/** All examples of the README as one program, with the address and key of this server. */
function examples(): string {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)]
    .map(([, code]) => code)
    .join('\n')
    .replace("'https://data.example.org'", JSON.stringify(world.base))
    .replace("'your API key'", JSON.stringify(admin.key));
}

const STRICT = {
  target: 'es2022',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
};
/** Module resolution of Node and of bundlers. */
const PROJECTS = {
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'], types: ['node'], outDir: 'out' },
  bundler: {
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
    noEmit: true,
  },
};

it('has its own version, code with declarations, README and license, and nothing else', () => {
  const { version, private: isPrivate, ...manifest } = JSON.parse(readFileSync(join(CLIENT, 'package.json'), 'utf8'));
  expect(packed.version).toBe(version);
  expect(isPrivate).toBeUndefined();
  expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
  const paths = packed.files.map(({ path }) => path);
  const others = paths.filter((path) => !/^dist\/\w+\.(js|d\.ts)$/.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  const modules = paths.filter((path) => path.endsWith('.js'));
  expect(modules).toContain('dist/operations.js');
  for (const path of modules) expect(paths).toContain(path.replace(/js$/, 'd.ts'));
  const types = readFileSync(join(folder, 'node_modules/catalog-gateway-client/dist/index.d.ts'), 'utf8');
  expect(types).not.toMatch(/\.ts'/);
});

it.each(Object.keys(PROJECTS))('type-checks strictly with moduleResolution %s', async (name) => {
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  const checked = await run(process.execPath, [tsc, '-p', `${name}.json`], { cwd: folder }).catch((failed) => failed);
  expect(checked.stdout).toBe('');
});

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  it('writes, reads and subscribes from another origin', async () => {
    const site = await serveForeignPage(folder, 'page.ts');
    const page = await openPage(chromium as string, site.url);
    try {
      const call = `run(${[world.base, admin.key, 'from-a-page'].map((text) => JSON.stringify(text)).join()})`;
      expect(await page.evaluate(call)).toEqual(['From a page', 'CREATED']);
      expect(page.problems).toEqual([]);
    } finally {
      await page.close();
      site.close();
    }
  });
});

describe.each([20, 24])('on Node %i', (major) => {
  const node = async (file: string, ...args: string[]) =>
    (await run(installNode(major), [join('out', file), ...args], { cwd: folder })).stdout;

  it(
    'pages, updates, handles a conflict and follows changes',
    async () => {
      expect(await run(installNode(major), ['--version'])).toMatchObject({
        stdout: expect.stringMatching(`^v${major}\\.`),
      });
      const prefix = `packed-${major}`;
      expect(JSON.parse(await node('program.js', world.base, admin.key, prefix))).toEqual({
        found: ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`),
        followed: `UPDATED ${prefix}-a`,
        conflict: true,
      });
    },
    INSTALL_TIMEOUT,
  );

  it('reads facets, histograms, activities, table groups, statistics and changes of a period', async () => {
    const prefix = `shown-${major}`;
    const since = new Date().toISOString();
    const names = ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`);
    const ids: string[] = [];
    for (const [at, name] of names.entries()) {
      const tags = [`t${at}`, 'all'].map((tag) => ({ name: `${prefix}-${tag}` }));
      ids.push((await world.result('package_create', { name, tags }, { as: admin })).id);
    }
    const rows = ['north', 'south', 'west'].map((station, level) => ({ station, level }));
    const resource = { package_id: names[0], name: 'levels' };
    const { resource_id } = await world.result(
      'datastore_create',
      { resource, records: [...rows, ...rows] },
      { as: admin },
    );
    const { id } = (
      await world.graph('query ($id: ID!) { resource(id: $id) { id } }', { id: resource_id }, { as: admin })
    ).body.data.resource;
    const shown = JSON.parse(await node('dashboard.js', world.base, admin.key, id, since));
    for (const each of ids) await world.result('dataset_purge', { id: each }, { as: admin });
    expect(shown).toEqual({
      tags: [
        ['all', 3],
        ['t0', 1],
        ['t1', 1],
        ['t2', 1],
      ].map(([tag, count]) => [`${prefix}-${tag}`, count]),
      tagPages: 2,
      periods: [1, true, true],
      activities: expect.arrayContaining(names),
      sums: [
        ['west', '4'],
        ['south', '2'],
        ['north', '0'],
      ],
      sumPages: 2,
      changes: expect.arrayContaining(names),
      statistics: [4, 3],
      timeline: [30, expect.any(Number)],
    });
  });

  it('runs the examples of the README', async () => {
    const text = await node('readme.js');
    await world.result('dataset_purge', { id: 'river-levels' }, { as: admin });
    expect(text).toMatch(/^1 \[ 'River levels' \]$/m);
    expect(text).toContain('read again: the version is 1');
    expect(text).toMatch(/\/levels\.csv$/m);
    expect(text).toMatch(/^(CREATED|UPDATED) \S+ \S+$/m);
    expect(text).toMatch(/ River levels\n$/);
  });
});
