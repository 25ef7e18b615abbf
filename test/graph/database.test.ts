/** Prisma and named statements share the database: in a transaction, after errors, and at its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, type Db, openDatabase, type Sql, type Timeout, transact } from '../../src/infra/postgres/db.ts';
import { createDatabase } from '../helpers/database.ts';
import { packetsOf } from '../helpers/packets.ts';
import { until } from '../helpers/until.ts';

let own: Awaited<ReturnType<typeof createDatabase>>;
let database: Database;

beforeAll(async () => {
  own = await createDatabase();
  database = openDatabase({ url: own.url, max: 2 });
});

afterAll(async () => {
  await database.close();
  await own.end();
});

const echo = {
  name: 'test_echo',
  text: 'SELECT $1::text AS text, $2::int AS number, $3::timestamptz AS at, $4::jsonb AS json',
};
const add = { name: 'test_add', text: 'INSERT INTO vocabulary (id, name) VALUES ($1, $2)' };
const divide = { name: 'test_divide', text: 'SELECT (10 / $1::int) AS result' };
const backend = { name: 'test_backend', text: 'SELECT pg_backend_pid() AS pid' };

describe('named statements', () => {
  it('return every type of value, on the first run and later', async () => {
    const at = new Date('2026-11-21T10:00:00.123Z');
    for (let run = 0; run < 5; run += 1) {
      const rows = await database.sql.rows(echo, [`é ${run}`, run, at, { list: [1, null] }]);
      expect(rows).toEqual([{ text: `é ${run}`, number: run, at, json: { list: [1, null] } }]);
      expect(await database.sql.rows(echo, [null, null, null, null])).toEqual([
        { text: null, number: null, at: null, json: null },
      ]);
    }
  });

  it('leave the connection usable after an error from PostgreSQL', async () => {
    for (let run = 0; run < 5; run += 1) {
      await expect(database.sql.rows(divide, [0])).rejects.toMatchObject({ code: '22012' });
      expect(await database.sql.rows(divide, [5])).toEqual([{ result: 2 }]);
    }
  });

  it('are cancelled after their timeout, and reset it', async () => {
    const one = openDatabase({ url: own.url, max: 1 });
    try {
      const [timeout, plenty] = [1, 100].map((seconds) => ({ seconds, setting: 'search.timeout' })) as [
        Timeout,
        Timeout,
      ];
      const wait = { text: 'SELECT pg_sleep($1::float8)::text AS slept', timeout };
      const limit = { text: `SELECT current_setting('statement_timeout') AS "limit"` };
      for (const statement of [wait, { ...wait, name: 'test_wait' }]) {
        for (let run = 0; run < 2; run += 1) {
          expect(await one.sql.rows({ ...statement, timeout: plenty }, [0])).toEqual([{ slept: '' }]);
          await expect(one.sql.rows(statement, [60])).rejects.toMatchObject({
            kind: 'LIMIT',
            message: expect.stringContaining('search.timeout'),
          });
          expect(await one.sql.rows(limit)).toEqual([{ limit: '0' }]);
        }
      }
      await expect(one.sql.rows({ ...divide, timeout: plenty }, [0])).rejects.toMatchObject({ code: '22012' });
      expect(await one.sql.rows({ ...divide, timeout: plenty }, [5])).toEqual([{ result: 2 }]);
      await transact(one.db, async (_db, sql) => {
        expect(await sql.rows({ ...limit, timeout })).toEqual([{ limit: '0' }]); // statements of a transaction ignore their own timeout
      });
    } finally {
      await one.close();
    }
  });

  it('refuse a second text under the same name', async () => {
    await transact(database.db, async (_db, sql) => {
      await sql.rows(divide, [1]);
      await expect(sql.rows({ ...divide, text: 'SELECT 1' })).rejects.toThrow('test_divide');
    });
  });

  it('reject with an error for values that cannot be serialized', async () => {
    const ring: Record<string, unknown> = {};
    ring.ring = ring;
    await expect(database.sql.rows(echo, ['', 1, null, ring])).rejects.toThrow(/circular/i);
    expect(await database.sql.rows(divide, [5])).toEqual([{ result: 2 }]);
  });
});

describe('concurrent short statements', () => {
  const short = { ...backend, isShort: true } as const;
  const isOne = (results: readonly { pid: number }[][]) => new Set(results.map(([row]) => row!.pid)).size === 1;

  it('share a connection, up to sixteen with different names', async () => {
    const run = (n: number, nameOf: (at: number) => string, isShort?: true) =>
      Promise.all(
        Array.from({ length: n }, (_, at) =>
          database.sql.rows<{ pid: number }>({ ...backend, name: nameOf(at), ...(isShort && { isShort }) }),
        ),
      );
    const own = (at: number) => `test_backend_${at}`;
    await run(2, own); // opens both connections
    expect(isOne(await run(16, own, true))).toBe(true);
    expect(isOne(await run(17, own, true))).toBe(false);
    expect(isOne(await run(2, own))).toBe(false);
    expect(isOne(await run(2, () => 'test_backend_same', true))).toBe(false); // the second must not depend on the parse of the first
  });

  it('fail independently', async () => {
    for (let run = 0; run < 5; run += 1) {
      const results = await Promise.allSettled(
        [5, 0, 'x', 2].map((n) => database.sql.rows({ ...divide, name: `test_divide_${n}`, isShort: true }, [n])),
      );
      expect(results).toMatchObject([
        { status: 'fulfilled', value: [{ result: 2 }] },
        { status: 'rejected', reason: { code: '22012' } },
        { status: 'rejected', reason: { code: '22P02' } },
        { status: 'fulfilled', value: [{ result: 5 }] },
      ]);
    }
  });

  it('all fail when the connection is lost, and later ones use a new connection', async () => {
    const end = { name: 'test_end', text: 'SELECT pg_terminate_backend(pg_backend_pid())', isShort: true } as const;
    const slow = { name: 'test_slow', text: 'SELECT pg_sleep(60)', isShort: true } as const;
    const results = await Promise.allSettled([end, short, slow].map((one) => database.sql.rows(one)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await database.sql.rows(short)).toEqual([{ pid: expect.any(Number) }]);
  });

  it('are all sent if a connection becomes free at the same moment', async () => {
    const one = openDatabase({ url: own.url, max: 1 });
    try {
      const client = await one.pool.connect();
      const first = one.sql.rows(short);
      client.release(); // hands the connection over at once
      const second = one.sql.rows({ ...short, name: 'test_second' });
      const late = sleep(5_000).then(() => 'never sent');
      expect(await Promise.race([Promise.all([first, second]), late])).toEqual(
        Array(2).fill([{ pid: expect.any(Number) }]),
      );
    } finally {
      void one.close();
    }
  });

  it('do not share the wait for a connection with later statements', async () => {
    const one = openDatabase({
      url: own.url,
      max: 1,
      timeouts: { connect: 3_000, response: 0, statement: 0, transaction: 0 },
    });
    try {
      const client = await one.pool.connect();
      const early = one.sql.rows(short).catch((failure: Error) => failure.message);
      await sleep(2_000);
      const late = one.sql.rows({ ...short, name: 'test_late' });
      const answer = await early;
      client.release(); // 2 s before `late` ends with the same error
      expect(answer).toMatch('timeout exceeded');
      expect(await late).toEqual([{ pid: expect.any(Number) }]);
    } finally {
      await one.close();
    }
  });

  it('are refused after the pool is closed', async () => {
    const closed = openDatabase({ url: own.url, max: 1 });
    await closed.close();
    for (let run = 0; run < 2; run += 1)
      await expect(closed.sql.rows(short)).rejects.toThrow('Cannot use a pool after calling end on the pool');
  });
});

describe('Prisma', () => {
  it('reads and writes the same timestamps as statements, even if the database has another time zone', async () => {
    const other = await createDatabase();
    const client = openDatabase({ url: other.url, max: 1 });
    await client.sql.rows({
      text: `ALTER ROLE CURRENT_USER IN DATABASE "${new URL(other.url).pathname.slice(1)}" SET timezone = 'America/New_York'`,
    });
    await client.close();
    const { db, sql, close } = openDatabase({ url: other.url, max: 1 });
    try {
      const changedAt = new Date('2026-07-21T10:00:00.123Z');
      await db.siteOption.create({ data: { name: 'a', value: '', changedAt } });
      await sql.rows({ text: `INSERT INTO site_option (name, value, changed_at) VALUES ('b', '', $1)` }, [changedAt]);
      const read = { text: 'SELECT changed_at AS "changedAt" FROM site_option' };
      expect(await sql.rows(read)).toEqual([{ changedAt }, { changedAt }]);
      expect(await db.siteOption.findMany({ select: { changedAt: true } })).toEqual([{ changedAt }, { changedAt }]);
    } finally {
      await close();
      await other.end();
    }
  });
});

describe('a session', () => {
  it('reads timestamps of any year, to the millisecond', async () => {
    const texts = [
      '0001-01-01 00:00:00',
      '0099-12-31 23:59:59.5',
      '0101-03-01',
      '1899-12-31 23:59:59.999999',
      '1969-12-31 23:59:59.25',
      '1970-01-01',
      '2024-02-29 12:34:56.789',
      '2026-11-27 08:30:00.123456',
      '9999-12-31 23:59:59.9',
      '12026-01-01 01:02:03.04',
      ...Array.from({ length: 1000 }, (_, ms) => `2026-07-08 09:10:11.${String(ms).padStart(3, '0')}`),
    ];
    const read = {
      name: 'test_instants',
      text: 'SELECT at, (extract(epoch FROM at) * 1000)::float8 AS ms FROM unnest($1::timestamptz[]) AS at',
    };
    const rows = await database.sql.rows<{ at: Date; ms: number }>(read, [texts.map((text) => `${text}+00`)]);
    expect(rows.map(({ at }) => at.getTime())).toEqual(rows.map(({ ms }) => Math.floor(ms)));
    const far = {
      name: 'test_far',
      text: "SELECT '1044-03-15 12:00:00 BC'::timestamptz AS past, 'infinity'::timestamptz AS last",
    };
    expect(await database.sql.rows(far, [])).toEqual([{ past: new Date('-001043-03-15T12:00:00Z'), last: Infinity }]);
    const zoned = { text: "SELECT '2026-11-27 08:30:00.25+00'::timestamptz AS at" };
    await transact(database.db, async (_db, sql) => {
      await sql.rows({ text: "SET LOCAL timezone = 'Asia/Kolkata'" });
      expect(await sql.rows(zoned)).toEqual([{ at: new Date('2026-11-27T08:30:00.250Z') }]);
    });
  });

  it('disables parallel workers and JIT and uses UTC, even if the database is set otherwise', async () => {
    const other = await createDatabase();
    const change = openDatabase({ url: other.url, max: 1 });
    const role = `ALTER ROLE CURRENT_USER IN DATABASE "${new URL(other.url).pathname.slice(1)}" SET`;
    for (const setting of ['max_parallel_workers_per_gather = 2', 'jit = on', 'timezone = "Asia/Tokyo"'])
      await change.sql.rows({ text: `${role} ${setting}` });
    await change.close();
    const { sql, close } = openDatabase({ url: other.url, max: 1 });
    try {
      const names = ['max_parallel_workers_per_gather', 'jit', 'timezone'];
      const text = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
      expect(await sql.rows({ text })).toEqual([{ max_parallel_workers_per_gather: '0', jit: 'off', timezone: 'UTC' }]);
    } finally {
      await close();
      await other.end();
    }
  });
});

describe('a transaction', () => {
  it('shares uncommitted writes between Prisma and statements, and rolls back both', async () => {
    const work = transact(database.db, async (db, sql) => {
      await sql.rows(add, ['one', 'First']);
      expect(await db.vocabulary.findUnique({ where: { id: 'one' } })).toMatchObject({ name: 'First' });
      await db.vocabulary.create({ data: { id: 'two', name: 'Second' } });
      expect(await sql.rows({ text: "SELECT name FROM vocabulary WHERE id = 'two'" })).toEqual([{ name: 'Second' }]);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await database.db.vocabulary.count()).toBe(0);
  });

  it('uses one connection only, also when others run concurrently', async () => {
    const pidsOf = (sql: Sql) => Promise.all([sql.rows(backend), sql.rows(backend)]);
    const inside = () =>
      transact(database.db, async (db, sql) => [await pidsOf(sql), await db.$queryRawUnsafe(backend.text)]);
    const found = await Promise.all([inside(), inside(), inside(), inside()]);
    for (const pids of found) expect(new Set(pids.flat(3).map((row) => JSON.stringify(row))).size).toBe(1);
  });

  it('sends its timeout in the same packet as its first statement', async () => {
    const timeouts = { connect: 10_000, response: 5_000, statement: 30_000, transaction: 60_000 };
    const one = openDatabase({ url: own.url, max: 1, timeouts });
    try {
      const limit = { name: 'test_limit', text: `SELECT current_setting('statement_timeout') AS "limit"` };
      const read = () => transact(one.db, (_db, sql) => sql.rows(limit));
      expect(await read()).toEqual([{ limit: '1min' }]);
      expect(await one.sql.rows(limit)).toEqual([{ limit: '30s' }]);
      const packets = await packetsOf(() => read());
      expect(packets.map((packet) => packet.match(/transaction_timeout|test_limit/g) ?? [])).toEqual([
        [], // BEGIN
        ['transaction_timeout', 'test_limit'],
        [], // COMMIT
      ]);
      const byPrisma = await transact(one.db, (db) => db.$queryRawUnsafe(limit.text));
      expect(byPrisma).toEqual([{ limit: '1min' }]);
    } finally {
      await one.close();
    }
  });

  it('refuses statements after its end', async () => {
    const kept = await transact(database.db, async (_db, sql) => sql);
    await expect(kept.rows(add, ['late', 'Late'])).rejects.toThrow('The transaction is over');
    expect(await database.db.vocabulary.count()).toBe(0);
  });

  it('that takes too long fails with UNAVAILABLE and frees its connection', async () => {
    const timeouts = { connect: 10_000, response: 5_000, statement: 30_000, transaction: 300 };
    const one = openDatabase({ url: own.url, max: 1, timeouts });
    try {
      const late = transact(one.db, async (_db, sql) => {
        await sql.rows(backend);
        await sleep(1_000);
        return sql.rows(backend);
      });
      await expect(late).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
      expect(await transact(one.db, (_db, sql) => sql.rows(backend))).toHaveLength(1);
    } finally {
      await one.close();
    }
  });

  it('that takes too long writes nothing, not even by statements sent right after the rollback', async () => {
    const timeouts = { connect: 10_000, response: 5_000, statement: 30_000, transaction: 1_000 };
    const one = openDatabase({ url: own.url, max: 1, timeouts });
    try {
      let refusal: unknown;
      const late = transact(one.db, async (_db, sql) => {
        await sql.rows({ text: 'SELECT pg_sleep(0.3)' });
        const slow = sql.rows({ text: 'SELECT pg_sleep(0.9)' });
        await slow.then(() => sql.rows(add, ['torn', 'Torn'])).catch((thrown) => (refusal = thrown));
      });
      await expect(late).rejects.toMatchObject({
        kind: 'UNAVAILABLE',
        message: expect.not.stringContaining('unknown'), // the outcome is known: a rollback
      });
      await until(() => refusal);
      expect(refusal).toMatchObject({ code: 'P2028' });
      expect(await one.db.vocabulary.count({ where: { id: 'torn' } })).toBe(0);
    } finally {
      await one.close();
    }
  });

  it('fails with CONFLICT for a name that is taken', async () => {
    await database.sql.rows(add, ['taken', 'Taken']);
    const again = transact(database.db, (_db, sql) => sql.rows(add, ['other', 'Taken']));
    await expect(again).rejects.toMatchObject({ kind: 'CONFLICT' });
  });

  it('fails with the error that aborted it, even if a later statement rejects first', async () => {
    await database.sql.rows(add, ['early', 'Early']);
    const work = (use: (db: Db, sql: Sql) => Promise<unknown>) =>
      transact(database.db, async (db, sql) => {
        const failed = sql.rows(add, ['other', 'Early']).catch(() => {});
        await use(db, sql);
        await failed;
      });
    const conflict = { kind: 'CONFLICT' };
    await expect(work((_db, sql) => sql.rows(backend))).rejects.toMatchObject(conflict);
    await expect(work((db) => db.vocabulary.count())).rejects.toMatchObject(conflict);
    const divided = transact(database.db, async (_db, sql) => {
      const failed = sql.rows({ text: 'SELECT 1 / 0 AS never' }).catch(() => {});
      await sql.rows(backend);
      await failed;
    });
    await expect(divided).rejects.toMatchObject({ code: '22012' });
  });
});
