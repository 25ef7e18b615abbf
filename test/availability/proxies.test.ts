/** The proxy configurations of deploy/, as far as nginx and Caddy are installed: TLS, cached public responses, streams and WebSockets. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import WebSocket from 'ws';
import { projectRoot } from '../../src/kernel/root.ts';
import { freePort } from '../helpers/port.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const HOST = 'data.example.org';
/** Seconds for which pages are cached. While a page is fetched again, it stays cached for as long once more. */
const MAX_AGE = 3;
const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const read = (file: string) => readFileSync(join(projectRoot, 'deploy', file), 'utf8');

let world: World;
let folder: string;
/** Path of a stored file of 8 bytes. */
let download: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'catalog-proxies-'));
  // Without a DataStore that answers, /readyz is red. The proxies send requests all the same.
  world = await createWorld({ 'catalog.pages.max_age': MAX_AGE });
  expect((await world.request('/readyz')).status).toBe(503);
  const { id } = await world.make.dataset({ name: 'rivers' });
  const form = new FormData();
  form.set('package_id', id);
  form.set('url', 'rivers.csv');
  form.set('upload', new Blob(['a,b\n1,2\n']), 'rivers.csv');
  const headers = { authorization: (await world.make.sysadmin()).key };
  const { body } = await world.request('/api/3/action/resource_create', { method: 'POST', body: form, headers });
  download = new URL(body.result.url).pathname;
});
afterAll(async () => {
  await Promise.all(
    started.map((child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      return child.exitCode === null ? ended : undefined;
    }),
  );
  await world?.end();
  rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends one request over TLS. The certificate is self-signed. `first` ends it after the first bytes of the body. */
function get(port: number, path: string, headers: Record<string, string> = {}, first = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host: HOST, ...headers }, servername: HOST };
    const sent = request({ ...options, rejectUnauthorized: false, agent: false }, (response) => {
      let text = '';
      const done = () => resolve({ status: response.statusCode!, headers: response.headers, text });
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (first) done();
        if (first) sent.destroy();
      });
      response.on('end', done);
    });
    sent.on('error', reject).end();
  });
}

const isUp = (port: number) =>
  until(() =>
    get(port, '/livez').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );

function run(program: string, args: readonly string[], env: Record<string, string> = {}): void {
  started.push(spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } }));
}

/** Starts nginx with both files, on free ports and with a generated certificate. */
async function startNginx(): Promise<number> {
  const [plain, inner, tls] = await Promise.all([freePort(), freePort(), freePort()]);
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${HOST}`];
  spawnSync('openssl', [...made, '-keyout', key, '-out', certificate]);
  const site = read('nginx/catalog.conf')
    .replace('server catalog:5000', `server ${new URL(world.base).host}`)
    .replace('/var/cache/nginx', folder)
    .replace('listen 8080', `listen 127.0.0.1:${inner}`);
  const outer = read('nginx/tls.conf')
    .replace(/listen \[::\].*\n/g, '')
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${tls} ssl;`)
    .replace(/\/etc\/letsencrypt\/\S+fullchain.pem/, certificate)
    .replace(/\/etc\/letsencrypt\/\S+privkey.pem/, key)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${inner}`);
  const file = join(folder, 'nginx.conf');
  // Workers of another user may not read a temporary folder of root.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const logs = `${user} error_log ${folder}/error.log; pid ${folder}/pid;`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  writeFileSync(file, `${logs} daemon off; events {} http { access_log off; ${temporary}\n${site}\n${outer} }`);
  run('nginx', ['-c', file, '-e', join(folder, 'start.log')]);
  await isUp(tls);
  return tls;
}

/** Starts Caddy with its file, and a certificate of its own authority. */
async function startCaddy(): Promise<number> {
  const [port, plain] = await Promise.all([freePort(), freePort()]);
  const home = join(folder, 'caddy');
  mkdirSync(home);
  const options = `http_port ${plain}\n\tskip_install_trust\n\tlocal_certs\n\tadmin off`;
  writeFileSync(join(home, 'Caddyfile'), read('caddy/Caddyfile').replace('admin off', options));
  run('caddy', ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'], {
    ...{ HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
    CATALOG_SITE: `${HOST}:${port}`,
    CATALOG_BACKENDS: new URL(world.base).host,
  });
  await isUp(port);
  return port;
}

const proxies = [
  ['nginx', startNginx, ['-v']],
  ['caddy', startCaddy, ['version']],
] as const;

describe.each(proxies.filter(([name, , args]) => has(name, ...args)))('%s', (name, start, _args) => {
  let port: number;
  beforeAll(async () => {
    port = await start();
  }, 120_000);

  it('serves pages over TLS, and hides health checks and metrics', async () => {
    const page = await get(port, '/dataset/rivers');
    expect([page.status, page.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    expect(page.text).toContain('rivers');
    expect((await get(port, '/metrics')).status).toBe(404);
    expect((await get(port, '/readyz')).status).toBe(404);
  });

  it("forwards the visitor's address, and ignores a forged one", async () => {
    const seen: (string | string[] | undefined)[][] = [];
    const look = (req: IncomingMessage) => {
      seen.push([req.headers['x-forwarded-for'], req.headers['x-forwarded-proto'], req.headers.host]);
    };
    world.app.server.prependListener('request', look);
    await get(port, '/api/3/action/package_show?id=rivers', { 'x-forwarded-for': '203.0.113.9' });
    world.app.server.off('request', look);
    const [addresses, ...rest] = seen.find(([addresses]) => addresses !== undefined)!;
    expect(addresses).toMatch(/^127\.0\.0\.1(, 127\.0\.0\.1)?$/);
    expect(rest).toEqual(['https', expect.stringContaining(HOST)]);
  });

  it('leaves range requests, conditional requests and compression to the catalog', async () => {
    for (const path of ['/api/3/action/package_show?id=rivers', '/dataset/rivers.ttl']) {
      const { etag } = (await get(port, path)).headers;
      expect([path, etag]).toEqual([path, expect.any(String)]);
      expect([path, (await get(port, path, { 'if-none-match': etag! })).status]).toEqual([path, 304]);
    }
    const file = await get(port, download, { range: 'bytes=1-3' });
    expect([file.status, file.headers['content-range'], file.text]).toEqual([206, 'bytes 1-3/8', ',b\n']);
    // A page of a user may contain keys, which its compressed length could reveal.
    const personal = await get(port, '/user/login', { 'accept-encoding': 'gzip', cookie: 'a=b' });
    expect([personal.status, personal.headers['content-encoding']]).toEqual([200, undefined]);
  });

  it('streams changes without buffering', async () => {
    const first = await get(port, '/changes', { accept: 'text/event-stream' }, true);
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('id: ')]);
  });

  it('forwards WebSockets', async () => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
      ...{ rejectUnauthorized: false, servername: HOST, headers: { host: HOST } },
    });
    const said = new Promise((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
      socket.on('message', (data) => resolve(JSON.parse(String(data))));
      socket.on('error', reject);
    });
    expect(await said).toEqual({ type: 'connection_ack' });
    socket.terminate();
  });

  if (name === 'nginx')
    it('caches responses for visitors, and never for users', async () => {
      const path = '/feeds/dataset.atom';
      const cached = async (headers = {}) => (await get(port, path, headers)).headers['x-cache'];
      expect([await cached(), await cached()]).toEqual(['MISS', 'HIT']);
      expect(await cached({ authorization: 'x' })).toBe('BYPASS');
      expect(await cached({ cookie: 'a=b' })).toBe('BYPASS');
    });

  it('stops showing a dataset that became private within the maximum age', async () => {
    const owner = await world.make.organization({ name: `owner-${name}` });
    const { id } = await world.make.dataset({ name: `secret-${name}`, ownerOrganization: owner.id });
    const visit = async () => (await get(port, `/dataset/secret-${name}`)).status;
    expect([await visit(), await visit()]).toEqual([200, 200]);
    await world.result('package_patch', { id, private: true }, { as: await world.make.sysadmin() });
    // Repeated requests, as from visitors.
    const end = performance.now() + (2 * MAX_AGE + 1) * 1_000;
    while (performance.now() < end) {
      await visit();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect([await visit(), await visit()]).toEqual([303, 303]); // redirects to the login
  }, 60_000);
});
