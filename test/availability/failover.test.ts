/** A database URL with several hosts: real servers, each reached through its own port that can be closed. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { type Embedded, startEmbedded } from '../../src/embedded/embedded.ts';
import { type Database, openDatabase, transact } from '../../src/infra/postgres/db.ts';
import { asRefusal } from '../../src/infra/postgres/failures.ts';
import { readAddress } from '../../src/infra/postgres/hosts.ts';
import { listen } from '../../src/infra/postgres/listen.ts';
import { until } from '../helpers/until.ts';

/** A local port that forwards to the socket of a server. */
class Way {
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #path: string;
  port = 0;

  constructor(server: Embedded) {
    const { hosts } = readAddress(server.catalogUrl);
    this.#path = `${hosts[0]!.host}/.s.PGSQL.${hosts[0]!.port}`;
  }

  async open(): Promise<void> {
    this.#server = createServer((client) => {
      const server = connect(this.#path);
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server).pipe(client);
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Closes all connections, as the crash of a machine does. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

let folders: string[];
let servers: Embedded[];
let ways: [Way, Way];
let database: Database;

beforeAll(async () => {
  folders = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `catalog-failover-${name}-`)));
  for (const folder of folders) chmodSync(folder, 0o711);
  servers = await Promise.all(folders.map((dataDir) => startEmbedded({ dataDir, durable: false })));
  ways = [new Way(servers[0]!), new Way(servers[1]!)];
  for (const way of ways) await way.open();
  for (const [index, server] of servers.entries()) {
    const client = new pg.Client({ connectionString: server.catalogUrl });
    await client.connect();
    await client.query('CREATE TABLE me (name text)');
    await client.query('INSERT INTO me VALUES ($1)', [`server ${index}`]);
    await client.end();
  }
  database = openDatabase({ url: address('read-write'), max: 3 });
});

afterAll(async () => {
  await database?.close();
  for (const way of ways ?? []) await way.close().catch(() => {});
  await Promise.all((servers ?? []).map((server) => server.stop()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const address = (target: string) =>
  `postgresql://catalog_owner@127.0.0.1:${ways[0].port},127.0.0.1:${ways[1].port}/catalog?sslmode=disable&target_session_attrs=${target}`;

async function setReadOnly(index: number, readOnly: boolean): Promise<void> {
  const admin = new pg.Client({ connectionString: servers[index]!.adminUrl });
  await admin.connect();
  await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
  await until(async () => {
    const client = new pg.Client({ connectionString: servers[index]!.catalogUrl });
    await client.connect();
    const { rows } = await client.query('SHOW default_transaction_read_only');
    await client.end();
    return rows[0].default_transaction_read_only === (readOnly ? 'on' : 'off');
  });
}

const who = async (): Promise<string | null> => {
  try {
    const [row] = await database.sql.rows<{ name: string }>({ name: 'test_who', text: 'SELECT name FROM me' });
    return row!.name;
  } catch (failure) {
    expect(asRefusal(failure)).toMatchObject({ kind: 'UNAVAILABLE' });
    return null;
  }
};

it('uses the first host that answers, and the next one when it is down', async () => {
  expect(await who()).toBe('server 0');
  const heard: string[] = [];
  const notices = await listen(address('read-write'), { news: async (what) => void heard.push(what ?? '') }, () => {});
  try {
    await ways[0].close();
    await until(async () => (await who()) === 'server 1');
    await until(async () => {
      await database.sql.rows({ text: "SELECT pg_notify('news', 'after')" });
      return heard.includes('after');
    });
  } finally {
    await notices.stop();
  }
});

it('leaves a server that becomes read-only', async () => {
  await ways[0].open();
  await setReadOnly(1, true); // open sessions keep taking writes until they reread their setting, so a real demotion closes them
  const write = () =>
    transact(database.db, (_db, sql) => sql.rows({ text: "INSERT INTO me VALUES ('more') RETURNING name" })).then(
      () => true,
      (failure) => {
        expect(asRefusal(failure)).toMatchObject({ kind: 'UNAVAILABLE' });
        return false;
      },
    );
  await until(write);
  await until(async () => (await who()) === 'server 0');
  await setReadOnly(1, false);
});
