/** Two processes with one primary and one replica: routing of reads, and callers' view during failures. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { STATE } from '../../src/graph/cached.sql.ts';
import { runCommand } from '../helpers/command.ts';
import { valuesOf } from '../helpers/metrics.ts';
import { Group, type Node, postgresPrograms, provideCatalog } from '../helpers/replication.ts';
import { describeWith } from '../helpers/runtime.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

/** Number of checks that callers see their own writes. `REPLICA_CHECKS=10000` takes a few minutes. */
const CHECKS = Number(process.env.REPLICA_CHECKS ?? 240);
const MAX_AGE = 100;

/** Prints figures of a full run. */
const note = (what: string, figures: object) => {
  if (process.env.REPLICA_CHECKS) console.error(what, JSON.stringify(figures));
};

const programs = postgresPrograms();

describeWith("the programs of PostgreSQL's package", programs !== null, 'read replicas', () => {
  let group: Group;
  let a: Node;
  let b: Node;
  let servers: [TestServer, TestServer];
  /** Statuses of refused requests in the current test. */
  const refused: { status: number; at: number; text: string }[] = [];

  beforeAll(async () => {
    group = new Group(programs!);
    a = await group.node('a');
    b = await group.node('b');
    await a.begin();
    await provideCatalog(a);
    await a.query(`ALTER ROLE catalog_owner SET timezone = 'Asia/Tokyo'`); // a setting by which connections differ
    await b.follow(a);
    const hosts = `127.0.0.1:${a.port},127.0.0.1:${b.port}`;
    const env = {
      DATABASE_URL: `postgresql://catalog_owner@${hosts}/catalog?target_session_attrs=read-write`,
      DATABASE_REPLICA_URLS: `${b.url} ${a.url}`,
      CATALOG__DATABASE_REPLICA_MAX_AGE: String(MAX_AGE),
      CATALOG__DATABASE_POOL: '8',
      CATALOG__MONITORING__TOKEN: 'a token for the tests',
      CATALOG__LOG_LEVEL: 'warn',
      CATALOG__ROLES: 'web',
    };
    const first = await startServer(env);
    servers = [first, await startServer({ ...env, CATALOG__ROLES: 'web jobs' }, { key: first.key })];
    await until(() => both(async (server) => (await metric(server, 'catalog_replica_up'))['1'] === 1));
  }, 180_000);
  afterAll(async () => {
    await Promise.all((servers ?? []).map((server) => server.stop()));
    await group?.end();
  });

  const both = async (look: (server: TestServer) => Promise<boolean>) => (await look(servers[0])) && look(servers[1]);
  const other = (server: TestServer) => servers[server === servers[0] ? 1 : 0];

  async function metric(server: TestServer, name: string): Promise<Record<string, number>> {
    const page = await fetch(`${server.base}/metrics`, { headers: { authorization: 'Bearer a token for the tests' } });
    return valuesOf(await page.text(), name);
  }
  async function reads(): Promise<{ replica: number; primary: number; repeated: number }> {
    const sums = { replica: 0, primary: 0, repeated: 0 };
    for (const server of servers)
      for (const [target, value] of Object.entries(await metric(server, 'catalog_replica_reads_total')))
        sums[target as keyof typeof sums] += value;
    return sums;
  }
  /** Counts the servers that answered the reads of `work`. */
  async function readsOf(work: () => Promise<unknown>) {
    const before = await reads();
    await work();
    const after = await reads();
    return {
      replica: after.replica - before.replica,
      primary: after.primary - before.primary,
      repeated: after.repeated - before.repeated,
    };
  }

  /** The result of an action; null when it was refused. */
  async function call(server: TestServer, action: string, params: object, key?: string): Promise<any> {
    const answer = await fetch(`${server.base}/api/3/action/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: key }) },
      body: JSON.stringify(params),
    });
    const text = await answer.text();
    if (answer.status === 200 && JSON.parse(text).success) return JSON.parse(text).result; // the default level returns refusals with 200
    refused.push({ status: answer.status, at: performance.now(), text: text.slice(0, 500) });
    return null;
  }
  const keyed = (server: TestServer, action: string, params: object) => call(server, action, params, server.key);

  /** Runs writers that read their own writes: with a key from either process, without a key from the process that wrote. */
  async function checkOwnWrites(checks: number, name: string): Promise<void> {
    let left = checks;
    const wrong: object[] = [];
    const writer = async (index: number) => {
      const id = `${name}-${index}`;
      expect(await keyed(servers[0], 'package_create', { name: id, title: 'x', notes: '0' })).not.toBeNull();
      for (let n = 1; left > 0; n += 1) {
        const server = servers[(n + index) % 2]!;
        const notes = `word${index}x${n}`;
        expect(await keyed(server, 'package_patch', { id, notes })).not.toBeNull();
        left -= 4;
        const [here, there, public_, found] = await Promise.all([
          keyed(server, 'package_show', { id }),
          keyed(other(server), 'package_show', { id }),
          call(server, 'package_show', { id }),
          keyed(other(server), 'package_search', { q: `notes:"${notes}"`, rows: 1 }),
        ]);
        const seen = {
          here: here?.notes,
          there: there?.notes,
          public: public_?.notes,
          found: found?.results[0]?.notes,
        };
        if (Object.values(seen).some((it) => it !== notes)) wrong.push({ notes, ...seen });
      }
    };
    await Promise.all([0, 1, 2, 3].map(writer));
    expect(wrong).toEqual([]);
  }

  /** Waits until a replica answers a query of each process. */
  const usesReplica = () =>
    Promise.all(
      servers.map((server) => {
        const answered = async () => (await metric(server, 'catalog_replica_reads_total')).replica ?? 0;
        return until(async () => {
          const before = await answered();
          await call(server, 'package_search', {});
          return (await answered()) > before;
        });
      }),
    );

  it('answer queries, and callers see their own writes in every process', async () => {
    await usesReplica();
    const statements = await b.query(
      `SELECT FROM pg_stat_activity WHERE usename = 'catalog_owner' AND query LIKE '%dataset_search%'`,
    );
    expect(statements.length).toBeGreaterThan(0);
    const missing = await readsOf(() => call(servers[0], 'package_show', { id: 'nothing' }));
    expect(refused.splice(0).map(({ text }) => text)).toEqual([expect.stringContaining('Not Found Error')]);
    expect(missing.replica).toBe(0); // only the primary reports that an object does not exist
    const told = await readsOf(() => checkOwnWrites(CHECKS / 3, 'healthy'));
    expect(told.replica).toBeGreaterThan(0);
    expect(refused).toEqual([]);
    note('healthy', told);
    const { out } = await runCommand(
      { 'catalog.database_url': a.url, 'catalog.database_replica_urls': [b.url, a.url] },
      'doctor',
      '--json',
    );
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ check: 'replicas', state: 'ok' }));
  });

  /** Title and notes that visitors see of an organization, whose results are cached until the next write. */
  const shown = (server: TestServer): Promise<string[]> =>
    call(server, 'organization_show', { id: 'steady', include_datasets: true }).then(({ title, packages }) => [
      title,
      packages[0].notes,
    ]);

  it('answer visitors from the cache only until the next write', async () => {
    await keyed(servers[0], 'organization_create', { name: 'steady' });
    await keyed(servers[0], 'package_create', { name: 'steady-1', owner_org: 'steady', notes: '0' });
    await usesReplica();
    const told = await readsOf(async () => {
      for (let n = 1; n <= 20; n += 1) {
        const written = [`Title ${n}`, String(n)];
        await keyed(servers[0], 'package_patch', { id: 'steady-1', notes: written[1] });
        await keyed(servers[0], 'organization_patch', { id: 'steady', title: written[0] });
        for (let time = 0; time < 4; time += 1) expect(await shown(servers[0])).toEqual(written);
        await until(async () => JSON.stringify(await shown(servers[1])) === JSON.stringify(written));
        for (let time = 0; time < 4; time += 1) expect(await shown(servers[1])).toEqual(written);
      }
    });
    expect(told.replica).toBeGreaterThan(0);
    expect(refused).toEqual([]);
    await until(async () => {
      await shown(servers[1]);
      const last = `SELECT FROM pg_stat_activity WHERE usename = 'catalog_owner' AND query LIKE '%postmaster%'`;
      return (await b.query(last)).length > 0;
    });
  });

  describe('the state of a server', () => {
    const state = async (node: Node) =>
      (await node.query<{ state: string | null }>(`SELECT ${STATE} AS state`))[0]!.state;
    const clientOf = async ({ port }: Node) => {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
      client.on('error', () => {});
      await client.connect();
      return client;
    };

    it('changes with each commit, and is unknown on a replica while an older transaction is open', async () => {
      await a.query('CREATE TABLE probe (n int)');
      const client = await clientOf(a);
      try {
        await client.query('BEGIN');
        await client.query('INSERT INTO probe VALUES (1)');
        const { rows } = await client.query(`SELECT ${STATE} AS state`);
        expect(rows).toEqual([{ state: null }]); // it sees its own rows
        let before: string | null = null;
        await until(async () => before === (before = await state(a))); // background work may also commit
        await a.query('INSERT INTO probe VALUES (2)');
        expect(await state(a)).not.toBe(before);
        const rowsOfReplica = async () => (await b.query('SELECT FROM probe').catch(() => [])).length;
        await until(async () => (await rowsOfReplica()) === 1);
        expect(await state(b)).toBeNull();
        await client.query('COMMIT');
        await until(async () => (await rowsOfReplica()) === 2);
        await until(async () => (await state(b)) !== null);
      } finally {
        await client.end();
        await a.query('DROP TABLE probe');
      }
    });

    it('changes after a crash of one of its processes, because transaction ids may then be reused', async () => {
      const starts = async () => (await state(b))?.replace(/ \S+$/, '');
      let before: string | undefined;
      await until(async () => (before = await starts()) !== undefined && before === (await starts()));
      const client = await clientOf(b);
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      process.kill(rows[0].pid, 'SIGKILL');
      await until(async () => {
        const after = await starts().catch(() => undefined);
        return after !== undefined && after !== before;
      });
      await client.end().catch(() => {});
      await usesReplica();
    });
  });

  it('that are paused return nothing older than allowed', async () => {
    const organization = await keyed(servers[0], 'organization_create', { name: 'office' });
    await keyed(servers[0], 'package_create', { name: 'secret', owner_org: organization.id });
    await usesReplica();
    await b.query('SELECT pg_wal_replay_pause()');
    await until(async () => (await b.query(`SELECT pg_get_wal_replay_pause_state() AS state`))[0]!.state === 'paused');
    const told = await readsOf(async () => {
      await keyed(servers[0], 'package_patch', { id: 'secret', private: true });
      expect(await call(servers[0], 'package_show', { id: 'secret' })).toBeNull();
      await sleep(MAX_AGE);
      expect(await call(servers[1], 'package_show', { id: 'secret' })).toBeNull();
      expect(refused.splice(0).map(({ text }) => text)).toEqual(
        Array(2).fill(expect.stringContaining('Authorization')),
      );
      await checkOwnWrites(CHECKS / 6, 'paused');
    });
    expect(told.replica).toBe(0);
    expect(refused).toEqual([]);
    await b.query('SELECT pg_wal_replay_resume()');
    await usesReplica();
    note('paused', told);
  });

  it("that lag do not hide callers' own writes", async () => {
    await b.set('recovery_min_apply_delay', '300ms');
    const told = await readsOf(() => checkOwnWrites(CHECKS / 6, 'lagging'));
    expect(told.primary).toBeGreaterThan(told.replica);
    expect(refused).toEqual([]);
    await b.set('recovery_min_apply_delay', '0');
    await usesReplica();
    note('lagging', told);
  });

  it('that hang do not block reads, even under load', async () => {
    await usesReplica();
    const continued = b.freeze();
    try {
      const began = performance.now();
      const read = (index: number) => call(servers[index % 2]!, 'package_search', { q: `word${index}` });
      const answers = await Promise.all(Array.from({ length: 80 }, (_, index) => read(index)));
      const ms = Math.round(performance.now() - began);
      expect(answers).not.toContain(null);
      expect(refused).toEqual([]);
      expect(ms).toBeLessThan(8_000); // 4 s, and a margin for a busy machine. A pool waits 10 s for a connection.
      note('frozen', { ms });
    } finally {
      continued();
    }
    await usesReplica();
  });

  it('that die are replaced by the primary, and used again after their restart', async () => {
    await usesReplica();
    let isOver = false;
    const reader = async (server: TestServer) => {
      while (!isOver) {
        expect(await call(server, 'package_show', { id: 'healthy-0' })).not.toBeNull();
        expect(await shown(server)).toEqual(expect.arrayContaining(['20']));
      }
    };
    const readers = Promise.all([...servers, ...servers].map(reader));
    const told = await readsOf(async () => {
      await b.kill();
      await checkOwnWrites(CHECKS / 6, 'dead');
    });
    isOver = true;
    await readers;
    expect(refused).toEqual([]);
    expect((await fetch(`${servers[0].base}/readyz`)).status).toBe(200);
    expect((await metric(servers[0], 'catalog_replica_up'))['1']).toBe(0);
    await b.start();
    await usesReplica();
    note('dead', told);
  });

  it('that become the primary lose no acknowledged write', async () => {
    await a.set('synchronous_standby_names', '*');
    await until(async () => (await a.query('SELECT sync_state FROM pg_stat_replication'))[0]?.sync_state === 'sync');
    const acknowledged: string[] = [];
    const wrong: object[] = [];
    let isOver = false;
    const writer = async (server: TestServer, index: number) => {
      for (let n = 0; !isOver; n += 1) {
        const name = `moved-${index}-${n}`;
        const made = await keyed(server, 'package_create', { name, title: 'x' }).catch(() => null);
        if (made === null) {
          await sleep(20);
          continue;
        }
        acknowledged.push(name);
        const before = refused.length;
        const seen = await keyed(other(server), 'package_show', { id: name });
        if (seen === null && refused.slice(before).some(({ status }) => status !== 503)) wrong.push({ name });
      }
    };
    const writers = Promise.all([...servers, ...servers].map(writer));
    await until(() => acknowledged.length > 100);
    const killed = performance.now();
    await a.kill();
    await sleep(500); // the time until an operator or a program reacts
    await b.promote();
    const promoted = performance.now();
    const before = acknowledged.length;
    await until(() => acknowledged.length > before + 100);
    const works = performance.now();
    isOver = true;
    await writers;
    const errors = refused.splice(0);
    expect(wrong).toEqual([]);
    expect([...new Set(errors.map(({ status }) => status))]).toEqual([503]);
    expect(errors.filter(({ at }) => at < killed || at > promoted + 5_000)).toEqual([]);
    for (const server of servers) {
      const names = new Set<string>(await keyed(server, 'package_list', {}));
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    }
    note('failover', {
      acknowledged: acknowledged.length,
      errors: errors.length,
      lastError: Math.round(Math.max(...errors.map(({ at }) => at)) - promoted),
      ms: Math.round(works - killed),
    });
  });

  it('that follow the new primary answer queries without a restart of the servers', async () => {
    await a.follow(b);
    await usesReplica();
    const told = await readsOf(() => checkOwnWrites(CHECKS / 6, 'after'));
    expect(told.replica).toBeGreaterThan(0);
    expect(refused).toEqual([]);
    note('after', told);
  });
});
