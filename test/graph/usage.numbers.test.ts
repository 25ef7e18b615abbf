/** Usage numbers equal a ledger of counted uses, for each kind of caller, on any day. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withRequest } from '../../src/kernel/call.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { USE } from '../../src/kernel/usage.ts';
import { keepUp } from '../../src/usage/fold.service.ts';
import { addBatch } from '../../src/usage/fold.sql.ts';
import { usageImport } from '../../src/usage/import.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const DAY = 86_400_000;
const KINDS = ['view', 'download', 'read'] as const;
const FIELDS = { view: 'views', download: 'downloads', read: 'reads' } as const;
const today = Math.floor(Date.now() / DAY) * DAY;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

interface Entry {
  readonly dataset: string;
  readonly resource: string | null;
  readonly kind: (typeof KINDS)[number];
  readonly day: number;
  readonly count: number;
}

let world: World;
let admin: TestUser;
let member: TestUser;
let stranger: TestUser;
let org: { id: string; name: string };
let datasets: { id: string; name: string; resources: { id: string; url: string }[] }[];
let hidden: string;
const ledger: Entry[] = [];
/** Seeded, so that a failure repeats. */
let seed = 42;
const random = (below: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return (seed >>> 8) % below;
};

const ok = async (query: string, variables: object = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(query, variables as Record<string, unknown>, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};
/** Moves the recent numbers to the day of a time, even an earlier one. Servers never move back. */
async function goTo(ms: number): Promise<void> {
  await world.database.pool.query("UPDATE usage_cursor SET day = '2000-01-01'");
  await keepUp(at(ms));
}
const at = (ms: number) => withRequest(world.app.callAs(world.system), { now: new Date(ms) });
const sum = (of: (it: Entry) => boolean) => ledger.filter(of).reduce((total, { count }) => total + count, 0);
const readable = (id: string, as: TestUser | null) => id !== hidden || as === admin || as === member;
const callers = () => [null, stranger, member, admin];

/** Stores batches of random uses, several a day, as processes would. */
async function use(count: number): Promise<void> {
  const { sql } = world.database;
  const made = Array.from({ length: count }, (): Entry => {
    const dataset = datasets[random(datasets.length)]!;
    const resource = random(2) === 0 ? null : dataset.resources[random(dataset.resources.length)]!.id;
    const kind = KINDS[random(3)]!;
    return { dataset: dataset.id, resource, kind, day: today - random(60) * DAY, count: 1 + random(9) };
  });
  ledger.push(...made);
  for (let from = 0; from < made.length; from += 7)
    for (const day of new Set(made.slice(from, from + 7).map((it) => it.day))) {
      const own = made.slice(from, from + 7).filter((it) => it.day === day);
      await addBatch(sql, {
        id: `${day} ${from} ${seed}`,
        day: dayOf(day),
        objects: own.map((it) => (it.resource === null ? `d${it.dataset}` : `r${it.resource}`)),
        kinds: own.map((it) => USE[it.kind]),
        counts: own.map((it) => it.count),
      });
    }
}

beforeAll(async () => {
  world = await createWorld({ 'catalog.usage.keep_days': 400 });
  admin = await world.make.sysadmin();
  [member, stranger] = [await world.make.user(), await world.make.user()];
  org = await world.make.organization({ members: { [member.id]: 'member' } });
  datasets = [];
  for (const [name, more] of Object.entries({ one: {}, two: {}, three: {}, secret: { private: true } }))
    datasets.push(
      await world.result(
        'package_create',
        {
          name,
          ...(name === 'two' ? {} : { owner_org: org.id }),
          ...more,
          resources: ['a', 'b'].map((file) => ({ name: file, url: `http://files.test/${name}/${file}.csv` })),
        },
        { as: admin },
      ),
    );
  hidden = datasets.at(-1)!.id;
  await use(500);
});
afterAll(() => world.end());

const SERIES = 'views { counts total } downloads { counts total } reads { counts total }';

/** Expected series of ledger entries. */
function expected(of: (it: Entry) => boolean, starts: string[]) {
  const from = starts.map((start) => Date.parse(start));
  return Object.fromEntries(
    KINDS.map((kind) => {
      const own = (it: Entry) => of(it) && it.kind === kind;
      const counts = from.map((start, n) =>
        sum((it) => own(it) && it.day >= start && it.day < (from[n + 1] ?? Infinity)),
      );
      return [FIELDS[kind], { counts, total: counts.reduce((all, one) => all + one, 0) }];
    }),
  );
}

describe('usage over time', () => {
  it.each(['DAY', 'WEEK', 'MONTH', 'YEAR'])('equals the ledger of a dataset and a resource by %s', async (interval) => {
    for (const { id, resources } of datasets)
      for (const [type, key, of] of [
        ['dataset', id, (it: Entry) => it.dataset === id],
        ['resource', resources[0]!.id, (it: Entry) => it.resource === resources[0]!.id],
      ] as const) {
        const query = `query ($id: ID!, $from: DateTime) { it: ${type}(id: $id) { usage(interval: ${interval}, from: $from) { starts ${SERIES} } } }`;
        const { starts, ...series } = (await ok(query, { id: key, from: new Date(today - 59 * DAY) }, admin)).it.usage;
        expect(series).toEqual(expected(of, starts));
      }
  });

  it('equals the ledger of the catalog and an organization for each caller', async () => {
    for (const as of callers()) {
      const variables = { id: org.id, from: new Date(today - 59 * DAY) };
      const data = await ok(
        `query ($id: ID!, $from: DateTime) { site { usage(from: $from) { starts ${SERIES} } }
          organization(id: $id) { usage(from: $from, interval: MONTH) { starts ${SERIES} } } }`,
        variables,
        as,
      );
      const { starts, ...series } = data.site.usage;
      expect(series).toEqual(expected((it) => readable(it.dataset, as), starts));
      const { starts: months, ...own } = data.organization.usage;
      const unowned = datasets[1]!.id;
      const { site } = await ok(
        `query ($organization: ID, $from: DateTime) { site {
          usage(organization: $organization, from: $from, interval: MONTH) { starts ${SERIES} searches { total } emptySearches { total } } } }`,
        { organization: org.id, from: variables.from },
        as,
      );
      expect(site.usage).toEqual({ ...data.organization.usage, searches: { total: 0 }, emptySearches: { total: 0 } });
      expect(own).toEqual(expected((it) => readable(it.dataset, as) && it.dataset !== unowned, months));
    }
  });

  it.each([
    ['site { usage(from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z") { starts } }', 'from'],
    ['site { usage(from: "2020-01-01T00:00:00Z", to: "2026-01-01T00:00:00Z") { starts } }', 'from'],
    ['site { usageTop(first: 0) { figures { total } } }', 'first'],
    ['site { usageTop(first: 51) { figures { total } } }', 'first'],
    [`site { usageTop(organization: "${toGlobalId('Organization', 'none')}") { figures { total } } }`, 'organization'],
    [`site { usage(organization: "${toGlobalId('Organization', 'none')}") { starts } }`, 'organization'],
    [`statistics { quality(organization: "${toGlobalId('Organization', 'none')}") { datasets } }`, 'organization'],
  ])('refuses %s', async (query, field) => {
    const { body } = await world.graph(`{ ${query} }`);
    expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION', problems: [{ path: [field] }] } }]);
  });
});

/** Sums of ledger entries as of a day. */
const figures = (of: (it: Entry) => boolean, now = today) => ({
  total: sum(of),
  recent: sum((it) => of(it) && it.day > now - 14 * DAY && it.day <= now),
  before: sum((it) => of(it) && it.day > now - 28 * DAY && it.day <= now - 14 * DAY),
});

async function compareSums(now = today): Promise<void> {
  const F = '{ total recent before }';
  for (const { id, resources } of datasets) {
    const query = `query ($id: ID!) { dataset(id: $id) { usageSummary { views ${F} downloads ${F} reads ${F} }
      resources { databaseId usageSummary { views ${F} downloads ${F} reads ${F} } } } }`;
    const { dataset } = await ok(query, { id }, admin);
    for (const kind of KINDS) {
      expect(dataset.usageSummary[FIELDS[kind]]).toEqual(figures((it) => it.dataset === id && it.kind === kind, now));
      for (const resource of dataset.resources)
        expect(resource.usageSummary[FIELDS[kind]]).toEqual(
          figures((it) => it.resource === resource.databaseId && it.kind === kind, now),
        );
    }
    const shown = await world.result('package_show', { id, include_tracking: true }, { as: admin });
    const short = (of: (it: Entry) => boolean) => {
      const { total, recent } = figures(of, now);
      return { total, recent };
    };
    expect(shown.tracking_summary).toEqual(short((it) => it.dataset === id && it.kind === 'view'));
    for (const resource of resources) {
      const downloads = short((it) => it.resource === resource.id && it.kind === 'download');
      expect(shown.resources.find((it: { id: string }) => it.id === resource.id).tracking_summary).toEqual(downloads);
      const alone = await world.result('resource_show', { id: resource.id, include_tracking: true }, { as: admin });
      expect(alone.tracking_summary).toEqual(downloads);
    }
  }
}

describe('sums', () => {
  it('equal the ledger for datasets and resources', () => compareSums());

  it('rank the most used datasets that the caller may read', async () => {
    const ORDERS = {
      recent: (it: ReturnType<typeof figures>) => it.recent,
      total: (it: ReturnType<typeof figures>) => it.total,
      rising: (it: ReturnType<typeof figures>) => it.recent - it.before,
    };
    for (const as of callers())
      for (const kind of KINDS)
        for (const [by, key] of Object.entries(ORDERS)) {
          const query = `query { site { usageTop(of: ${FIELDS[kind].toUpperCase()}, by: ${by.toUpperCase()}) { dataset { databaseId } figures { total recent before } } } }`;
          const { usageTop } = (await ok(query, {}, as)).site;
          const rows = datasets
            .filter(({ id }) => readable(id, as))
            .map(({ id }) => ({
              dataset: { databaseId: id },
              figures: figures((it) => it.dataset === id && it.kind === kind),
            }))
            .filter((row) => key(row.figures) > 0)
            .sort((a, b) => key(b.figures) - key(a.figures) || (a.dataset.databaseId < b.dataset.databaseId ? -1 : 1));
          expect(usageTop).toEqual(rows);
          const own = await ok(
            `query ($organization: ID) { site { usageTop(organization: $organization, of: ${FIELDS[kind].toUpperCase()}, by: ${by.toUpperCase()}) { dataset { databaseId } } } }`,
            { organization: org.id },
            as,
          );
          expect(own.site.usageTop.map((it: any) => it.dataset.databaseId)).toEqual(
            rows.map(({ dataset }) => dataset.databaseId).filter((id) => id !== datasets[1]!.id),
          );
        }
  });

  it('sort searches', async () => {
    for (const [field, order, key] of [
      ['views_recent', 'VIEWS_RECENT', 'recent'],
      ['views_total', 'VIEWS_TOTAL', 'total'],
    ] as const) {
      const views = (id: string) => figures((it) => it.dataset === id && it.kind === 'view')[key];
      const names = datasets
        .filter(({ id }) => id !== hidden)
        .sort((a, b) => views(b.id) - views(a.id))
        .map(({ name }) => name);
      expect(new Set(names.map((name) => views(datasets.find((it) => it.name === name)!.id))).size).toBe(3);
      const found = await world.result('package_search', { sort: `${field} desc` });
      expect(found.results.map((it: { name: string }) => it.name)).toEqual(names);
      const up = await world.result('package_search', { sort: `${field} asc`, q: 'title:* OR *:*' });
      expect(up.results.map((it: { name: string }) => it.name)).toEqual([...names].reverse());
      const pages: string[] = [];
      for (let after: string | null = null; pages.length < 4; ) {
        const { search } = await ok(
          `query ($after: String) { search(orderBy: { field: ${order} }, first: 1, after: $after) { nodes { name } pageInfo { endCursor hasNextPage } } }`,
          { after },
        );
        pages.push(...search.nodes.map((it: { name: string }) => it.name));
        if (!search.pageInfo.hasNextPage) break;
        after = search.pageInfo.endCursor;
      }
      expect(pages).toEqual(names);
      const { datasets: listed } = await ok(`{ datasets(orderBy: { field: ${order} }) { nodes { name } } }`);
      expect(listed.nodes.map((it: { name: string }) => it.name)).toEqual(names);
      const top = views(datasets.find((it) => it.name === names[0])!.id);
      expect((await world.result('package_search', { fq: `${field}:[${top} TO *]` })).count).toBe(1);
    }
  });

  it('lose their recent part as days go by', async () => {
    for (const days of [1, 5, 14, 20, 40]) {
      await keepUp(at(today + days * DAY + 1000));
      await compareSums(today + days * DAY);
    }
    await goTo(today);
    await compareSums();
  });

  it('stay the same when old days are merged into months', async () => {
    const rows = () => world.database.pool.query('SELECT count(*)::int AS count FROM usage_day');
    const before = (await rows()).rows[0].count;
    const later = today + 500 * DAY;
    await keepUp(at(later));
    expect((await rows()).rows[0].count).toBeLessThan(before);
    const [first] = datasets;
    const query =
      'query ($id: ID!, $from: DateTime) { dataset(id: $id) { usage(interval: MONTH, from: $from) { starts views { counts total } } } }';
    const { usage } = (await ok(query, { id: first!.id, from: new Date(today - 59 * DAY) }, admin)).dataset;
    expect(usage.views).toEqual(expected((it) => it.dataset === first!.id, usage.starts).views);
    await compareSums(later);
    await goTo(today);
  });
});

describe('searches without a result', () => {
  it('are limited to 1,000 a day', async () => {
    const words = Array.from({ length: 1_200 }, (_, n) => `w${String(n).padStart(4, '0')}`);
    for (const id of ['first', 'second'])
      await addBatch(world.database.sql, {
        id,
        day: dayOf(today - DAY),
        objects: words.map((it) => `w${it}`),
        kinds: words.map(() => USE.emptySearch),
        counts: words.map(() => 1),
      });
    await keepUp(at(today));
    const { rows } = await world.database.pool.query(
      'SELECT count(*)::int AS n, sum(count)::int AS sum FROM usage_search WHERE day = $1',
      [dayOf(today - DAY)],
    );
    expect(rows).toEqual([{ n: 1_000, sum: 2_000 }]);
  });
});

it('words of searches that occurred once are deleted after 30 days', async () => {
  const { pool } = world.database;
  await pool.query('DELETE FROM usage_search');
  const words =
    "(31, 'once', 1), (30, 'once lately', 1), (31, 'twice', 2), (90, 'again', 1), (31, 'again', 1), (401, 'long ago', 5)";
  await pool.query(
    `INSERT INTO usage_search (day, words, count) SELECT $1::date - ago, words, count FROM (VALUES ${words}) v(ago, words, count)`,
    [dayOf(today)],
  );
  await pool.query('UPDATE usage_cursor SET day = $1::date', [dayOf(today - DAY)]); // a day begins
  await keepUp(at(today));
  const { rows } = await pool.query('SELECT words FROM usage_search ORDER BY day, words');
  expect(rows.map(({ words }) => words)).toEqual(['again', 'again', 'twice', 'once lately']);
});

it('recent numbers survive a clock that was years ahead', async () => {
  await keepUp(at(today + 4_000 * DAY));
  await keepUp(at(today));
  const { rows } = await world.database.pool.query('SELECT day::text FROM usage_cursor');
  expect(rows).toEqual([{ day: dayOf(today) }]);
});

it('a list of empty searches refuses years beyond the range of the database', async () => {
  const query = '{ site { emptySearches(from: "2020-01-01", to: "9999-12-31T23:59:59Z") { words } } }';
  const { body } = await world.graph(query, {}, { as: admin });
  expect(body.errors).toMatchObject([{ extensions: { code: 'VALIDATION' } }]);
  expect(JSON.stringify(body.errors)).toContain('"to"');
});

it('imports the CKAN table tracking_summary, with the same result the second time', async () => {
  const { id, resources } = await world.result(
    'package_create',
    { name: 'moved', resources: [{ url: 'http://old.test/data.csv' }, { url: 'http://old.test/other.csv' }] },
    { as: admin },
  );
  const day = dayOf(today - 3 * DAY);
  const lines = [
    'url,package_id,tracking_type,count,running_total,recent_views,tracking_date',
    `/dataset/moved,${id},page,5,5,5,${day}`,
    `/de/dataset/moved,${id},page,2,2,2,${day}`,
    `"/dataset/moved",${id},page,3,8,8,${dayOf(today - 40 * DAY)} 00:00:00`,
    `/dataset,~~not~found~~,page,100,100,100,${day}`,
    `/about,,page,100,100,100,${day}`,
    `http://old.test/data.csv,~~not~found~~,resource,4,4,4,${day}`,
    `http://old.test/dataset/moved/resource/${resources[1].id}/download/other.csv,,resource,6,6,6,${day}`,
    `http://elsewhere.test/x.csv,,resource,9,9,9,${day}`,
  ];
  const read = async (text: string[]) =>
    usageImport(
      () => world.app.callAs(world.system),
      (async function* () {
        yield* text;
      })(),
    );
  for (const _ of [1, 2]) {
    expect(await read(lines)).toEqual({ rows: 8, known: 4 });
    const shown = await world.result('package_show', { id, include_tracking: true });
    expect(shown.tracking_summary).toEqual({ total: 10, recent: 7 });
    expect(shown.resources.map((it: { tracking_summary: object }) => it.tracking_summary)).toEqual([
      { total: 4, recent: 4 },
      { total: 6, recent: 6 },
    ]);
  }
  await expect(read(['url,count'])).rejects.toThrow('columns are missing: package_id, tracking_type, tracking_date');
  for (const [count, on] of [
    ['many', day],
    ['-1', day],
    ['1000000000', day],
    ['1', '2020-02-30'],
    ['1', '0000-01-01'],
    ['1', dayOf(Date.now() + 3 * DAY)],
    ['1', `${day} \0`],
  ])
    await expect(read([lines[0]!, `/x,${id},page,50,1,1,${day}`, `/x,${id},page,${count},1,1,${on}`])).rejects.toThrow(
      'Line 3',
    );
  expect((await world.result('package_show', { id, include_tracking: true })).tracking_summary.total).toBe(10);
  await world.result('dataset_purge', { id }, { as: admin });
  const { rows } = await world.database.pool.query(
    'SELECT 1 FROM usage_day WHERE dataset_id = $1 UNION ALL SELECT 1 FROM usage_total WHERE dataset_id = $1',
    [id],
  );
  expect(rows).toEqual([]);
});
