/**
 * Every figure of the dashboards Usage and Operations equals SQL or a ledger, on real metadata, before and after 500 random writes, for
 * each kind of caller, with and without filters.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHARTS } from '../../facades/web/site/dashboards/charts.ts';
import { USE } from '../../src/kernel/usage.ts';
import { keepUp } from '../../src/usage/fold.service.ts';
import { addBatch } from '../../src/usage/fold.sql.ts';
import { actorOf, readableIds } from '../graph/statistics.helper.ts';
import { filesOf, inOneMinute } from '../helpers/dashboards.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import type { World } from '../helpers/world.ts';

const WRITES = 500;
const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Uses of one object on one day, with its readers at that time, and its owner. */
interface Entry {
  /** Null: the catalog. */
  readonly dataset: string | null;
  readonly kind: number;
  readonly day: number;
  readonly count: number;
  readonly readers: ReadonlySet<string>;
  readonly owner: string | null;
}

let world: World;
let write: (number: number) => Promise<void>;
let callers: [string, TestUser | null][];
let organizations: { id: string; name: string }[];
const ledger: Entry[] = [];
/** Words of searches without a result → their number. */
const words = new Map<string, number>();
let seed = 7;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return (seed >>> 8) % below;
};
const sql = <Row>(text: string, values: unknown[] = []) =>
  world.database.pool.query(text, values).then(({ rows }) => rows as Row[]);

beforeAll(async () => {
  world = await createSampleWorld();
  await world.datastore();
  const [admin, member, editor] = [await world.make.sysadmin(), await world.make.user(), await world.make.user()];
  const listed = async (action: string) =>
    (await world.result(action, { all_fields: true })) as { id: string; name: string }[];
  organizations = await listed('organization_list');
  write = randomWrites({ world, admin, editor, organizations, groups: await listed('group_list') });
  for (const { id } of organizations.slice(0, 3))
    await world.result('organization_member_create', { id, username: member.name, role: 'member' }, { as: admin });
  await world.result(
    'organization_member_create',
    { id: organizations[0]!.id, username: editor.name, role: 'editor' },
    { as: admin },
  );
  callers = [
    ['visitor', null],
    ['member', member],
    ['sysadmin', admin],
  ];
  for (let n = 1; n <= 40; n += 1) await write(n); // hidden datasets are among those that are used
  await use(400);
}, 600_000);
afterAll(() => world.end());

/** Stores random uses, as processes would, and notes them in the ledger. */
async function use(count: number): Promise<void> {
  const rows = await sql<{ id: string; owner: string | null }>(
    'SELECT id, owner_organization_id AS owner FROM dataset ORDER BY id',
  );
  const readable = new Map<string, Set<string>>();
  for (const [name, as] of callers) readable.set(name, new Set(await readableIds(world, await actorOf(world, as))));
  const readersOf = (id: string) =>
    new Set(callers.filter(([name]) => name === 'sysadmin' || readable.get(name)!.has(id)).map(([name]) => name));
  const everybody = new Set(callers.map(([name]) => name));
  for (let batch = 0; batch < count / 10; batch += 1) {
    const day = TODAY - random(40) * DAY;
    const used: { object: string; kind: number; count: number }[] = [];
    const note = (object: string, kind: number, entry: Pick<Entry, 'dataset' | 'readers' | 'owner'>) => {
      const amount = 1 + random(9);
      used.push({ object, kind, count: amount });
      ledger.push({ ...entry, kind, day, count: amount });
      return amount;
    };
    for (let n = 0; n < 8; n += 1) {
      const { id, owner } = rows[random(Math.min(rows.length, 60))]!;
      note(`d${id}`, 1 + random(3), { dataset: id, readers: readersOf(id), owner });
    }
    for (const kind of [USE.search, USE.emptySearch])
      note('', kind, { dataset: null, readers: everybody, owner: null });
    const word = `nothing ${random(15)}`;
    used.push({ object: `w${word}`, kind: USE.emptySearch, count: 2 });
    if (day > TODAY - 20 * DAY) words.set(word, (words.get(word) ?? 0) + 2);
    const { sql: connection } = world.database;
    await addBatch(connection, {
      id: `${batch} ${seed}`,
      day: dayOf(day),
      objects: used.map(({ object }) => object),
      kinds: used.map(({ kind }) => kind),
      counts: used.map((it) => it.count),
    });
  }
  await keepUp(world.app.callAs(world.system));
}

type Rows = readonly Record<string, string>[];
interface Filters {
  readonly organization?: string;
  readonly from?: string;
  readonly interval?: string;
}

/** Numbers per period, by the ledger. */
function compareSeries(name: string, owner: string | null, rows: Rows, columns: Record<string, number>): void {
  const own = ledger.filter((it) => it.readers.has(name) && (owner === null || it.owner === owner));
  const starts = rows.map(({ period }) => Date.parse(period!));
  for (const [column, kind] of Object.entries(columns)) {
    const counts = starts.map((start, n) =>
      own
        .filter((it) => it.kind === kind && it.day >= start && it.day < (starts[n + 1] ?? Number.POSITIVE_INFINITY))
        .reduce((sum, { count }) => sum + count, 0),
    );
    expect([name, owner, column, rows.map((row) => Number(row[column]))]).toEqual([name, owner, column, counts]);
  }
}

/** The largest numbers of active datasets that a caller may read, by the table of days. */
async function compareTop(
  readable: readonly string[],
  owner: string | null,
  kind: number,
  isRising: boolean,
  rows: Rows,
): Promise<void> {
  const sum = (from: number, to: number) =>
    `coalesce(sum(u.count) FILTER (WHERE u.day > $4::date - ${from} AND u.day <= $4::date - ${to}), 0)`;
  const figure = isRising ? `${sum(14, 0)} - ${sum(28, 14)}` : sum(14, 0);
  const found = await sql<{ name: string; n: number }>(
    `SELECT d.name, (${figure})::int AS n FROM usage_day u JOIN dataset d ON d.id = u.dataset_id
     WHERE u.resource_id = '' AND u.kind = $1 AND d.state = 'active' AND d.id = ANY ($2) AND ($3::text IS NULL OR d.owner_organization_id = $3)
     GROUP BY d.id, d.name HAVING ${sum(14, 0)} > 0 AND (${figure}) > 0 ORDER BY 2 DESC, d.id LIMIT 10`,
    [kind, readable, owner, dayOf(TODAY)],
  );
  expect(rows.map(({ name, uses }) => [name, Number(uses)])).toEqual(found.map(({ name, n }) => [name, n]));
}

const USAGE = ['uses', 'top', 'rising', 'top-downloads', 'searches', 'searches-without-result'];

async function compareUsage(): Promise<void> {
  const { id, name } = organizations[0]!;
  const filterSets: Filters[] = [
    { interval: 'day', from: dayOf(TODAY - 19 * DAY) },
    { interval: 'week' },
    {},
    { organization: name },
    { organization: name, interval: 'day', from: dayOf(TODAY - 9 * DAY) },
  ];
  for (const [caller, as] of callers) {
    const readable = await readableIds(world, await actorOf(world, as));
    for (const filters of filterSets) {
      const { rows } = await filesOf(world, 'usage', filters, as);
      const owner = filters.organization ? id : null;
      compareSeries(caller, owner, rows.uses!, { views: USE.view, downloads: USE.download, reads: USE.read });
      expect([caller, 'searches' in rows]).toEqual([caller, owner === null]);
      if (rows.searches)
        compareSeries(caller, null, rows.searches, { searches: USE.search, without_result: USE.emptySearch });
      expect([caller, 'top' in rows]).toEqual([caller, !filters.from]);
      if (rows.top) {
        await compareTop(readable, owner, USE.view, false, rows.top);
        await compareTop(readable, owner, USE.view, true, rows.rising!);
        await compareTop(readable, owner, USE.download, false, rows['top-downloads']!);
      }
      const isListed = caller === 'sysadmin' && owner === null;
      expect([caller, 'searches-without-result' in rows]).toEqual([caller, isListed]);
      if (isListed && filters.from) compareWords(rows['searches-without-result']!);
    }
  }
}

function compareWords(rows: Rows): void {
  const expected = [...words].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).slice(0, 20);
  expect(rows.map((row) => [row.words, Number(row.searches)])).toEqual(expected);
}

/** Records of jobs, harvests, webhooks and servers, as the server writes them. */
async function makeRecords(step: number): Promise<void> {
  const [{ id: user }] = (await sql<{ id: string }>('SELECT id FROM user_account ORDER BY id LIMIT 1')) as [
    { id: string },
  ];
  await sql(
    `INSERT INTO job (id, kind, subject_type, subject_id, dataset_id, state, max_attempts, error, created_at, finished_at)
     SELECT gen_random_uuid()::text, (ARRAY['load', 'words', 'harvest'])[1 + n % 3], 'resource', r.id, r.dataset_id,
       (ARRAY['queued', 'failed', 'done', 'failed'])[1 + n % 4], 3, CASE WHEN n % 4 IN (1, 3) THEN 'went wrong ' || n END,
       now() - n * interval '1 hour', CASE WHEN n % 4 > 0 THEN now() - n * interval '50 minutes' END
     FROM (SELECT id, dataset_id, row_number() OVER (ORDER BY id) AS n FROM resource LIMIT 70) r`,
  );
  for (let n = 0; n < 12; n += 1) {
    const id = `${step}-${n}`;
    await sql(
      `INSERT INTO harvest_source (id, name, title, url, kind, created_at) VALUES ($1, $2, $3, 'https://example.org', 'ckan', now())`,
      [id, `source-${id}`, `Source ${id}`],
    );
    for (let run = 0; run < n % 3; run += 1)
      await sql(
        `INSERT INTO harvest_run (id, source_id, state, started_at, created, updated, deleted, failed)
         VALUES ($1 || ' ' || $2::int, $1, 'done', now() - interval '1 hour', $2::int + 1, 2, 3, $2::int)`,
        [id, run],
      );
    await sql(
      `INSERT INTO webhook (id, user_id, name, url, secret, batch_size, state, created_at, cursor, last_error, last_success_at)
       VALUES ($1, $2, $3, 'https://example.org', 'x', 10, 'paused', now(), 0, $4, now())`,
      [id, user, `hook ${id}`, n % 2 ? 'HTTP 500' : null],
    );
    for (let letter = 0; letter < n % 4; letter += 1)
      await sql(
        `INSERT INTO webhook_dead_letter (id, webhook_id, start_place, end_place, changes, attempts, created_at, last_tried_at)
         VALUES ($1 || ' ' || $2::int, $1, 0, 1, 1, 5, now(), now())`,
        [id, letter],
      );
  }
  await sql(
    `INSERT INTO server_process (id, host, pid, version, started_at, beat_at, memory, slowest)
     VALUES ($1, 'host', $2, 'v1', now() - interval '2 hours', now() - $2::int * interval '1 minute', 123456789, $3)`,
    [
      `process-${step}`,
      step,
      JSON.stringify(
        Array.from({ length: 15 }, (_, n) => ({
          at: Date.now() - n * 60_000,
          method: 'GET',
          route: `/route-${step}-${n}`,
          operation: n % 2 ? `Operation${n}` : null,
          status: 200,
          milliseconds: 100 * n + step,
        })),
      ),
    ],
  );
  await sql(
    `INSERT INTO server_minute (minute, process_id, requests, refused, failed, milliseconds)
     SELECT date_trunc('minute', now()) - n * interval '7 minutes', $1, n, n % 3, n % 2, n * 2.5 FROM generate_series(1, 190) n`,
    [`process-${step}`],
  );
}

/** Expected rows of each chart. Times are compared by the second; `null` is an empty cell. */
const OPERATIONS: Record<string, string> = {
  ...Object.fromEntries(
    (['requests minute 60', 'requests-by-hour hour 24'] as const).map((text) => {
      const [chart, unit, count] = text.split(' ') as [string, string, string];
      return [
        chart,
        `SELECT to_char(p.start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS start, coalesce(sum(m.requests), 0)::text AS requests,
           coalesce(sum(m.refused), 0)::text AS refused, coalesce(sum(m.failed), 0)::text AS failed,
           coalesce((round((sum(m.milliseconds) / nullif(sum(m.requests), 0))::numeric, 1))::float8::text, '') AS average_ms
         FROM generate_series(0, ${Number(count) - 1}) g(n) CROSS JOIN LATERAL (SELECT date_trunc('${unit}', now()) - (${Number(count) - 1} - g.n) * interval '1 ${unit}' AS start) p
         LEFT JOIN server_minute m ON date_trunc('${unit}', m.minute) = p.start GROUP BY p.start ORDER BY p.start`,
      ];
    }),
  ),
  'slow-requests': `SELECT (r ->> 'method') || ' ' || (r ->> 'route') AS request, coalesce(r ->> 'operation', '') AS operation, r ->> 'milliseconds' AS milliseconds,
      r ->> 'status' AS status FROM server_process, jsonb_array_elements(slowest::jsonb) r
    WHERE (r ->> 'at')::float8 > extract(epoch FROM now()) * 1000 - 3600000 ORDER BY (r ->> 'milliseconds')::int DESC LIMIT 20`,
  processes: `SELECT host || ':' || pid AS process, memory::text AS memory, version FROM server_process ORDER BY beat_at DESC, id`,
  jobs: `SELECT kind, upper(state) AS state, count(*)::text AS jobs FROM job GROUP BY job.kind, job.state ORDER BY job.kind, job.state`,
  harvests: `SELECT s.name, s.title AS source, coalesce(r.created::text, '') AS created, coalesce(r.updated::text, '') AS updated,
      coalesce(r.deleted::text, '') AS deleted, coalesce(r.failed::text, '') AS failed FROM harvest_source s
    LEFT JOIN LATERAL (SELECT * FROM harvest_run h WHERE h.source_id = s.id ORDER BY h.number DESC LIMIT 1) r ON true ORDER BY s.name COLLATE "C" LIMIT 20`,
};

async function compareOperations(): Promise<void> {
  for (const [name, as] of callers.slice(0, 2))
    for (const path of [
      '/dashboards/operations',
      '/dashboards/operations/jobs.csv',
      '/dashboards/operations/requests.svg',
    ]) {
      const headers: Record<string, string> = { accept: 'text/html', ...(as && { authorization: as.key }) };
      const { status } = await world.request(path, { headers, redirect: 'manual' });
      expect([name, path, status]).toEqual([name, path, as ? 403 : 303]);
    }
  const [, admin] = callers[2]!;
  const { rows, expected } = await inOneMinute(async () => {
    const { rows } = await filesOf(world, 'operations', {}, admin);
    const expected: Record<string, Record<string, string>[]> = {};
    for (const [chart, text] of Object.entries(OPERATIONS)) expected[chart] = await sql(text);
    return { rows, expected };
  });
  for (const [chart, lines] of Object.entries(expected)) {
    const keys = Object.keys(lines[0]!);
    const shown = rows[chart]!.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));
    expect([chart, shown]).toEqual([chart, lines]);
  }
  await compareOthers(rows);
}

async function compareOthers(rows: Record<string, Rows>): Promise<void> {
  const loads = await sql<{ id: string; error: string }>(
    `SELECT subject_id AS id, error FROM job WHERE kind = 'load' AND state = 'failed'`,
  );
  expect(rows['failed-loads']).toHaveLength(Math.min(20, loads.length));
  const errors = new Set(loads.map(({ id, error }) => `${id} ${error}`));
  for (const { resource, error } of rows['failed-loads']!) expect(errors).toContain(`${resource} ${error}`);
  const hooks = await sql<{ name: string; letters: number; behind: number; error: string }>(
    `SELECT w.name, (SELECT count(*) FROM webhook_dead_letter l WHERE l.webhook_id = w.id)::int AS letters,
       (SELECT count(*) FROM change c WHERE c.position > w.cursor OR c.position IS NULL)::int AS behind, coalesce(w.last_error, '') AS error FROM webhook w`,
  );
  const known = new Map(hooks.map(({ name, ...hook }) => [name, hook]));
  expect(rows.webhooks).toHaveLength(Math.min(20, hooks.length));
  for (const { webhook, dead_letters, behind, last_error } of rows.webhooks!)
    expect({ letters: Number(dead_letters), behind: Number(behind), error: last_error }).toEqual(known.get(webhook!));
  expect(Number(rows.datastore![0]!.tables)).toBe(0);
  expect(rows.tables).toEqual([]);
}

it('every chart is compared', () => {
  const ids = (dashboard: string) => CHARTS.filter((it) => it.dashboard === dashboard).map(({ id }) => id);
  expect(ids('usage').sort()).toEqual([...USAGE].sort());
  const others = ['failed-loads', 'webhooks', 'datastore', 'tables'];
  expect(ids('operations').sort()).toEqual([...Object.keys(OPERATIONS), ...others].sort());
});

it('figures equal SQL before the writes', async () => {
  await compareUsage();
  await makeRecords(1);
  await compareOperations();
}, 600_000);

it(`and after ${WRITES} random writes`, async () => {
  for (let number = 41; number <= 40 + WRITES; number += 1) {
    await write(number);
    if (number % 50 === 0) await use(100);
  }
  await compareUsage();
  await makeRecords(2);
  await compareOperations();
}, 900_000);
