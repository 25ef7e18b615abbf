/** The folder in which `catalog …` and `npm start` find the catalog, and their messages if they cannot use it. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canRead } from '../../src/embedded/account.ts';
import { findHome } from '../../src/kernel/home.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { startServer } from '../helpers/server.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'catalog-home-')));
chmodSync(root, 0o755);
let made = 0;
function folder(files: Record<string, string> = {}): string {
  made += 1;
  const at = join(root, String(made));
  mkdirSync(at);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at, name, '..'), { recursive: true });
    writeFileSync(join(at, name), text);
  }
  return at;
}
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface How {
  readonly cwd: string;
  readonly env?: Record<string, string>;
  /** Runs as the system user `nobody` if this process may do so. */
  readonly asNobody?: boolean;
}

const NOBODY = 65_534;

function run(program: string, words: readonly string[], { cwd, env = {}, asNobody = false }: How): Promise<Ended> {
  const { DATABASE_URL: _, CATALOG_HOME: __, ...rest } = process.env;
  const user = asNobody && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, words, { cwd, env: { ...rest, CATALOG__LOG_LEVEL: 'error', ...env }, ...user });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
const catalog = (words: readonly string[], how: How) =>
  run(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), ...words], how);

/** Expects one line on standard error and a failing exit code. */
function expectOneLine({ code, err }: Ended, line: RegExp): void {
  expect(err.trim().split('\n')).toEqual([expect.stringMatching(line)]);
  expect(err).not.toMatch(/^\s+at /m);
  expect(code).toBeGreaterThan(0);
}

describe('the home of a catalog', () => {
  const data = { 'data/secret': 'x' };

  it('is the folder in CATALOG_HOME', () => {
    const [home, elsewhere] = [folder(), folder(data)];
    expect(findHome(home, elsewhere, folder(data))).toBe(home);
    expect(findHome('1', root, folder())).toBe(join(root, '1'));
    expect(() => findHome('nowhere', root, folder())).toThrow(`CATALOG_HOME: ${join(root, 'nowhere')} is not a folder`);
  });

  it("is the working directory if it has a catalog, else the project's folder", () => {
    const project = folder(data);
    expect(findHome(undefined, folder(), project)).toBe(project);
    const configured = folder({ 'catalog.yaml': '' });
    expect(findHome(undefined, configured, project)).toBe(configured);
    const older = folder({ 'data/postgres/place.json': '{}' });
    expect(findHome(undefined, older, folder())).toBe(older);
    expect(findHome('', project, project)).toBe(project);
  });

  it('must be set if both folders have a catalog', () => {
    const [working, project] = [folder(data), folder(data)];
    expect(() => findHome(undefined, working, project)).toThrow(
      `There are two catalogs, in ${working} and in ${project}. Set CATALOG_HOME`,
    );
  });
});

describe('catalog, started in another folder', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.end());

  it("uses the project's data", async () => {
    const cwd = folder();
    const { out, code } = await catalog(['config', '--json'], { cwd });
    const config = JSON.parse(out) as { name: string; value: unknown }[] | Record<string, unknown>;
    expect([code, JSON.stringify(config)]).toEqual([0, expect.stringContaining(join(projectRoot, 'data'))]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('uses the catalog of CATALOG_HOME', async () => {
    const home = folder({ 'catalog.yaml': `catalog.database_url: ${database.url}\ncatalog.site_title: Home` });
    const cwd = folder();
    const added = await catalog(['user', 'add', 'jo'], { cwd, env: { CATALOG_HOME: home } });
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining('jo was created') });
    const again = await catalog(['user', 'add', 'jo'], { cwd: home });
    expectOneLine(again, /name: That login name is not available/); // it is the same catalog
    expect(readdirSync(cwd)).toEqual([]);
    expect(existsSync(join(home, 'data/secret'))).toBe(true);
    expect(added.err + again.err).not.toContain('has no secret');
    const lost = await catalog(['user', 'add', 'jim'], { cwd, env: { CATALOG_HOME: home, CATALOG__DATA_DIR: cwd } });
    expect(lost).toMatchObject({ code: 0, err: expect.stringContaining('its data folder has no secret') });
  });

  it('reports the creation of a new catalog, and reuses it', async () => {
    const home = folder();
    const env = { CATALOG_HOME: home };
    const first = await catalog(['user', 'add', 'jo'], { cwd: folder(), env });
    expect(first.err).toContain(`Created a new catalog in ${join(home, 'data')}.`);
    expect(first.code).toBe(0);
    // Sets CATALOG_HOME, because a catalog in this checkout would make the choice ambiguous.
    expect(await catalog(['user', 'link', 'jo'], { cwd: folder(), env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('/user/reset/'),
      err: expect.not.stringContaining('Created a new catalog'),
    });
  });
});

describe('catalog that cannot start', () => {
  const missing: How = { cwd: root };

  it('names the variable without a folder', async () => {
    expectOneLine(
      await catalog(['config'], { ...missing, env: { CATALOG_HOME: '/no/such/folder' } }),
      /^CATALOG_HOME: \/no\/such\/folder is not a folder/,
    );
  });

  const canRun = process.getuid?.() !== 0 || canRead({ uid: NOBODY, gid: NOBODY }, join(projectRoot, 'package.json'));
  describeWith('a checkout that another user can read', canRun, 'as a user without rights', () => {
    const closed = () => {
      const at = folder();
      chmodSync(at, 0o555);
      return at;
    };

    it.each([['user', 'add', 'jo'], ['serve']])(
      'names the folder without write permission: catalog %s',
      async (...words) => {
        const home = closed();
        expectOneLine(
          await catalog(words.filter(Boolean), {
            cwd: home,
            env: { CATALOG_HOME: home, CATALOG__PORT: '0' },
            asNobody: true,
          }),
          /data: permission denied\. .*CATALOG_HOME/,
        );
      },
    );

    it('works without write permission if it writes nothing', async () => {
      const home = closed();
      const { code, err } = await catalog(['config'], { cwd: home, env: { CATALOG_HOME: home }, asNobody: true });
      expect([code, err]).toEqual([0, '']);
    });
  });

  it('explains an unusable DATABASE_URL', async () => {
    const database = await createDatabase();
    const hangsUp = createServer((socket) => socket.destroy());
    const noDatabase = createServer((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const ports: number[] = [];
    for (const server of [hangsUp, noDatabase]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      ports.push((server.address() as { port: number }).port);
    }
    const other = new URL(database.url);
    other.pathname = '/no_such_database';
    const urls = [
      `postgresql://u:secret@127.0.0.1:${await freePort()}/catalog`,
      'postgresql://u:secret@no-such-host.invalid/catalog',
      `postgresql://u:secret@127.0.0.1:${ports[0]}/catalog`,
      `postgresql://u:secret@127.0.0.1:${ports[1]}/catalog`,
      `postgresql://u:secret@localhost/catalog?host=${root}`,
      other.href,
    ];
    for (const url of urls) {
      const ended = await catalog(['user', 'add', 'jo'], { cwd: root, env: { DATABASE_URL: url } });
      expectOneLine(ended, /^The database cannot be used: .+\. Check DATABASE_URL/);
      expect(ended.err).not.toContain('secret@');
    }
    expectOneLine(
      await catalog(['user', 'add', 'jo'], { cwd: root, env: { DATABASE_URL: 'mysql://u:secret@h/d' } }).then(
        (ended) => ({ ...ended, err: ended.err.replace(/^.*\n/, '') }),
      ),
      /catalog\.database_url \(DATABASE_URL\): .*must be a URL that starts with postgres:\/\//,
    );
    await Promise.all([hangsUp, noDatabase].map((server) => new Promise((resolve) => server.close(resolve))));
    await database.end();
  });
});

it('prints a command for a new link at the first start that works in any folder', async () => {
  const database = await createDatabase();
  const port = await freePort();
  const home = folder({
    'catalog.yaml': `catalog.database_url: ${database.url}\ncatalog.site_title: It's a "town"\ncatalog.site_logo: /logo.png\ncatalog.error_emails_to: a@b.example`,
  });
  const server = await startServer({ CATALOG_HOME: home, CATALOG__PORT: String(port) });
  expect(server.said()).toMatch(/"setting":"catalog\.error_emails_to","msg":"this setting has no effect yet"/);
  expect(server.said()).not.toMatch(/"setting":"catalog\.site_logo"/);
  const command = /^ {2}new link {2}(.+)$/m.exec(server.said())![1]!;
  const { code, out, err } = await run('sh', ['-c', command], { cwd: folder() });
  expect([code, out, err]).toEqual([
    0,
    expect.stringContaining(`http://localhost:${port}/user/reset/`),
    expect.any(String),
  ]);
  expect((await fetch(out.trim().replace('localhost', '127.0.0.1'))).status).toBe(200);
  await server.stop();
  await database.end();
});
