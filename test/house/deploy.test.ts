/** The files of deploy/ are valid, and name only existing settings, files and options. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { DCLinter } from 'dclint';
import { parse } from 'yaml';
import { commands } from '../../src/cli/commands.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { envName, SETTINGS } from '../../src/kernel/settings.ts';
import type { Setting } from '../../src/kernel/settings.types.ts';
import { freePort } from '../helpers/port.ts';

const FOLDER = join(projectRoot, 'deploy');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const COMPOSE = ['compose.yaml', 'compose.scaled.yaml'];

/** A finding of dclint, whose own types do not resolve. */
interface Fault {
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly command?: string;
}
const servicesOf = (file: string): Readonly<Record<string, Service>> =>
  parse(read(file), { merge: true, maxAliasCount: 100 }).services;

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;

/** Rules on order and quotes are matters of taste. Ports are bound to this machine by the default value of a variable. */
const OFF = [
  'no-build-and-image',
  'no-quotes-in-volumes',
  'no-unbound-port-interfaces',
  'require-quotes-in-ports',
  'service-dependencies-alphabetical-order',
  'service-keys-order',
  'service-ports-alphabetical-order',
  'services-alphabetical-order',
  'top-level-properties-order',
];

it.each(COMPOSE)('%s fits the schema of Compose files', (file) => {
  const rules = Object.fromEntries(OFF.map((rule) => [rule, 0 as const]));
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  const results: { messages: Fault[] }[] = linter.lintFiles([join(FOLDER, file)], false);
  const found = results.flatMap(({ messages }) => messages);
  expect(found.map(({ line, rule, message }) => `${line}: ${rule}: ${message}`)).toEqual([]);
});

it.each(COMPOSE)('%s uses only existing settings and files', (file) => {
  const known = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { alias }]) => [envName(name), alias]);
  const services = servicesOf(file);
  const set = Object.keys(services.catalog?.environment ?? {});
  expect(set.length).toBeGreaterThan(3);
  expect(set.filter((name) => !known.includes(name))).toEqual([]);
  const mounted = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((it) => it.split(':')[0]!));
  expect(mounted.filter((path) => path.startsWith('.') && !existsSync(join(FOLDER, path)))).toEqual([]);
  expect(services.catalog?.read_only).toBe(true);
});

it('the replica of the scaled file allows as many connections as its primary', () => {
  const { catalog, postgres } = servicesOf('compose.scaled.yaml');
  const [, most] = /max_connections=(\d+)/.exec(postgres?.command ?? '') ?? [];
  expect(most).toBeDefined();
  // PostgreSQL does not start a standby that allows fewer connections than its primary.
  expect(read('postgres/replica.sh')).toContain(`-c max_connections=${most}`);
  expect(catalog?.environment?.DATABASE_REPLICA_URLS).toContain('@postgres-replica:');
});

it('parses all other YAML and JSON files', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const data = files.filter((file) => /\.(ya?ml|json)$/.test(file));
  expect(data.length).toBeGreaterThan(4);
  for (const file of data) expect([file, typeof parse(read(file))]).toEqual([file, 'object']);
});

it('runs existing commands in units', () => {
  const units = readdirSync(join(FOLDER, 'systemd')).filter((file) => file.endsWith('.service'));
  const run = units.map((file) => /^ExecStart=\/usr\/bin\/env catalog (\S+)/m.exec(read(`systemd/${file}`))?.[1]);
  expect(run.filter((name) => !name || !Object.hasOwn(commands, name))).toEqual([]);
});

(has('systemd-analyze', '--version') ? it : it.skip)('systemd accepts the units', () => {
  const units = readdirSync(join(FOLDER, 'systemd')).map((file) => join(FOLDER, 'systemd', file));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

(has('nginx', '-v') ? it : it.skip)('nginx accepts its configuration', () => {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-nginx-'));
  const site = read('nginx/catalog.conf')
    .replace('server catalog:5000', 'server 127.0.0.1:5000')
    .replace('/var/cache/nginx', folder);
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(join(folder, 'nginx.conf'), `events {}\npid ${folder}/pid;\nhttp { include ${folder}/site.conf; }`);
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', join(folder, 'nginx.conf')], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([0, expect.stringContaining('test is successful')]);
});

it('has scripts with valid shell syntax', () => {
  for (const file of ['postgres/init.sh', 'postgres/replica.sh', 'image-without-registry.sh'])
    expect([file, spawnSync('sh', ['-n', join(FOLDER, file)], { encoding: 'utf8' }).stderr]).toEqual([file, '']);
});

it('builds the image in stages, without a root user and with a health check', () => {
  const text = read('Dockerfile');
  expect(text.match(/^FROM /gm)).toHaveLength(3);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  expect(last).toMatch(/^USER 10001:10001$/m);
  expect(last).toMatch(/^HEALTHCHECK /m);
});

it('checks the health of the image at its listening port', async () => {
  const [, command] = /^HEALTHCHECK .*\n {2}CMD (.*)$/m.exec(read('Dockerfile')) ?? [];
  const [program, ...args] = JSON.parse(command!) as string[];
  const server = createServer((_req, res) => res.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = String((server.address() as AddressInfo).port);
  const codeWith = async (env: Record<string, string>) =>
    (await once(spawn(program!, args, { env: { PATH: process.env.PATH, ...env } }), 'exit'))[0];
  const closed = String(await freePort());
  const jobs = { CATALOG__ROLES: 'jobs webhooks' };
  expect([
    await codeWith({ PORT: open }),
    await codeWith({ CATALOG__PORT: closed, PORT: open }),
    await codeWith({ CATALOG__PORT: open, CATALOG__MONITORING__PORT: closed }),
    await codeWith(jobs), // no server listens
    await codeWith({ ...jobs, CATALOG__MONITORING__PORT: open }),
    await codeWith({ ...jobs, CATALOG__MONITORING__PORT: closed }),
    await codeWith({ ...jobs, CATALOG__MONITORING__PORT: '0' }),
    await codeWith({ CATALOG__ROLES: 'jobs web', PORT: closed }),
  ]).toEqual([0, 1, 0, 0, 0, 1, 0, 1]);
  server.close();
});
