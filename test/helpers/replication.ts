/** A primary and its standbys, with streaming replication: servers from the system's package, as the embedded one has no pg_basebackup. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { accountFor } from '../../src/embedded/account.ts';
import { createCatalog, createRoles } from '../../src/embedded/provision.ts';
import { freePort } from './port.ts';
import { childrenOf, signal } from './processes.ts';
import { until } from './until.ts';

const FOLDER = '/usr/lib/postgresql';

/** The folder with the programs of the newest PostgreSQL; null if there is none. On Debian as root with `CI=true`, it installs them. */
export function postgresPrograms(): string | null {
  const found = installed();
  if (found || process.env.CI !== 'true' || process.platform !== 'linux' || process.getuid?.() !== 0) return found;
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'postgresql'],
  ])
    spawnSync('apt-get', args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  return installed();
}

function installed(): string | null {
  if (!existsSync(FOLDER)) return null;
  const [newest] = readdirSync(FOLDER).sort((a, b) => Number(b) - Number(a));
  const folder = join(FOLDER, newest ?? '', 'bin');
  return existsSync(join(folder, 'pg_basebackup')) ? folder : null;
}

/** One server of the group. */
export class Node {
  readonly port: number;
  readonly #folder: string;
  readonly #group: Group;
  #process: ChildProcess | null = null;

  constructor(group: Group, name: string, port: number) {
    this.#group = group;
    this.#folder = join(group.folder, name);
    this.port = port;
  }

  /** URL for the role catalog_owner. */
  get url(): string {
    return `postgresql://catalog_owner@127.0.0.1:${this.port}/catalog`;
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  async begin(): Promise<void> {
    this.#group.run(
      'initdb',
      '-D',
      this.#folder,
      '-A',
      'trust',
      '-U',
      'postgres',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    );
    await this.start();
  }

  /** Turns it into a standby: a new copy of another server. */
  async follow(primary: Node): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=node${this.port}`;
    this.#group.run('pg_basebackup', '-d', from, '-D', this.#folder, '-R', '-c', 'fast', '-X', 'stream', '--no-sync');
    await this.start();
    await until(async () => {
      const [row] = await primary.query<{ state: string }>(
        `SELECT state FROM pg_stat_replication WHERE application_name = 'node${this.port}'`,
      );
      return row?.state === 'streaming';
    });
  }

  async start(): Promise<void> {
    const options = {
      port: String(this.port),
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      hot_standby_feedback: 'on',
      wal_receiver_timeout: '2s',
      wal_retrieve_retry_interval: '200ms',
    };
    this.#process = spawn(
      join(this.#group.programs, 'postgres'),
      ['-D', this.#folder, ...Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...this.#group.account, stdio: ['ignore', 'ignore', 'pipe'], cwd: this.#group.folder },
    );
    this.#process.stderr!.on('data', (text) => appendFileSync(`${this.#folder}.log`, text));
    await until(() =>
      this.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  }

  /** Ends all of its processes at once, as the death of a machine does. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.#process!.once('exit', resolve));
    this.#process!.kill('SIGQUIT');
    await ended;
  }

  /** Stops all of its processes until they are continued: connections stay open, and nothing answers. */
  freeze(): () => void {
    const pid = this.#process!.pid!;
    const pids = [pid, ...childrenOf(pid)];
    signal(pids, 'SIGSTOP');
    return () => signal(pids, 'SIGCONT');
  }

  async query<Row extends pg.QueryResultRow = pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user: 'postgres', database: 'postgres' });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Changes a setting of the server while it runs. */
  async set(name: string, value: string): Promise<void> {
    await this.query(`ALTER SYSTEM SET ${name} = '${value}'`);
    await this.query('SELECT pg_reload_conf()');
    await until(async () => {
      const [row] = await this.query<{ setting: string }>(`SELECT current_setting('${name}') AS setting`);
      return row!.setting === value;
    });
  }

  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)');
  }
}

export class Group {
  readonly programs: string;
  readonly folder = mkdtempSync(join(tmpdir(), 'catalog-replication-'));
  readonly account: { readonly uid?: number; readonly gid?: number };
  readonly #nodes: Node[] = [];

  constructor(programs: string) {
    this.programs = programs;
    const account = accountFor(this.folder);
    if (account) chownSync(this.folder, account.uid, account.gid);
    this.account = account ?? {};
  }

  run(program: string, ...args: string[]): void {
    const { status, stderr } = spawnSync(join(this.programs, program), args, {
      ...this.account,
      cwd: this.folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  }

  async node(name: string): Promise<Node> {
    const node = new Node(this, name, await freePort());
    this.#nodes.push(node);
    return node;
  }

  async end(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Creates the roles and the empty database of a catalog. */
export async function provideCatalog({ port }: Node): Promise<void> {
  const admin = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await createRoles(admin);
  await createCatalog(admin, 'catalog');
  await admin.end();
}
