/** Suggestions, text searches and streams read indexes: on filled tables, no plan scans all rows. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { userIdsByLogin, userSuggestions } from '../../src/accounts/user/user.service.ts';
import { FROM_NEWEST, listNews, partsOfStreams } from '../../src/catalog/activity/activity.sql.ts';
import { datasetSuggestions } from '../../src/catalog/dataset/dataset.service.ts';
import { countLists, keyOf, type Listed, listPages } from '../../src/catalog/dataset/read/lists.sql.ts';
import { groupSuggestions } from '../../src/catalog/group/group.service.ts';
import { resourceSearch } from '../../src/catalog/resource/resource.service.ts';
import { tagList } from '../../src/catalog/tag/tag.service.ts';
import { changesAfter } from '../../src/feed/feed.sql.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Keyset } from '../../src/kernel/connection.ts';
import { formatSuggestions } from '../../src/search/find/formats.service.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LARGE = [
  'dataset',
  'dataset_document',
  'dataset_tag',
  'resource',
  'tag',
  'user_account',
  'group_account',
  'usage_total',
];
const ROWS = 6_000;
/** Every row has unique words, and one of 500 has the word `rare`. */
const TEXT = `md5(i::text) || CASE WHEN i % 500 = 0 THEN ' rare words' ELSE '' END`;

let world: World;
beforeAll(async () => {
  world = await createWorld();
  const fill = async (text: string) => {
    await world.database.sql.rows({ text: `INSERT INTO ${text} FROM generate_series(1, ${ROWS}) AS i` });
  };
  await fill(
    `dataset (id, name, title, created_at, modified_at, revision_id) SELECT 'd' || i, 'n' || i, ${TEXT}, now(), now(), 'r'`,
  );
  await fill(
    `dataset_document (dataset_id, name, title, type, state, private, created_at, modified_at, version, document)
      SELECT 'd' || i, 'n' || i, ${TEXT}, 'dataset', 'active', false, now(), now(), 1, '{"resources":[]}'`,
  );
  await fill(
    `resource (id, dataset_id, position, url, name, description, format, hash, mimetype, revision_id)
      SELECT 'r' || i, 'd' || i, 0, ${TEXT}, ${TEXT}, ${TEXT}, ${TEXT}, 'rare' || i || 'x', ${TEXT}, 'r'`,
  );
  await fill(`tag (id, name) SELECT 't' || i, ${TEXT} || i`);
  await fill(`dataset_tag (dataset_id, tag_id) SELECT 'd' || i, 't' || i`);
  await fill(`user_account (id, name, full_name, email) SELECT 'u' || i, 'n' || i, ${TEXT}, i || '@example.org'`);
  await fill(
    `group_account (id, name, title, description, image_url, type, is_organization, revision_id)
      SELECT 'g' || i, 'n' || i, ${TEXT}, '', '', 'group', false, 'r'`,
  );
  await fill(`revision (id, created_at, author, message) SELECT 'r' || i, now() + i * interval '1 ms', 'test', ''`);
  await fill(
    `change (revision_id, created_at, actor_id, object_type, object_id, action, detail, activity_id, is_public, position, readers)
      SELECT 'r' || i, now(), 'u1', 'dataset', 'd' || i, 'created', '{}', 'a' || i, true, i, '{"of":"anybody"}'`,
  );
  // One actor made all changes, and three groups share them.
  await world.database.sql.rows({
    text: `INSERT INTO activity_group (group_id, sequence) SELECT 'g' || 1 + sequence % 3, sequence FROM change WHERE activity_id LIKE 'a%'`,
  });
  // Half of the datasets were viewed.
  await world.database.sql.rows({
    text: 'UPDATE usage_total SET recent = number % 700, total = number % 900 FROM (SELECT id, row_number() OVER () AS number FROM dataset) d WHERE d.id = dataset_id AND number % 2 = 0',
  });
  for (const table of [...LARGE, 'change', 'activity_group'])
    await world.database.sql.rows({ text: `VACUUM ANALYZE ${table}` });
});
afterAll(() => world.end());

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Loops'?: number;
  Filter?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}
const walked = (plan: Plan): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' ? [String(plan['Relation Name'])] : []),
  ...(plan.Plans ?? []).flatMap(walked),
];

/** Tables that the statements of `work`, including Prisma's, scan in full, according to PostgreSQL's plans. */
async function tablesWalked(work: (call: Call) => Promise<unknown>): Promise<string[]> {
  const { pool, sql } = world.database;
  const sent: { text: string; values: unknown[] }[] = [];
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  pool.query = ((first: { text: string; values?: unknown[] } | string, ...rest: unknown[]) => {
    // Statements of Prisma. Our own query class hides its values, so `noting` collects those statements.
    if (typeof first === 'object' && first.values) sent.push({ text: first.text, values: first.values });
    return query(first, ...rest);
  }) as typeof pool.query;
  const noting: Sql = {
    rows({ text }, values = []) {
      sent.push({ text, values: [...values] });
      return sql.rows({ text }, values);
    },
  };
  await work({ ...world.app.callAs(world.system), sql: noting });
  Reflect.deleteProperty(pool, 'query');
  expect(sent).not.toEqual([]);
  const found: string[] = [];
  for (const { text, values } of sent) {
    const explain = { text: `EXPLAIN (FORMAT JSON) ${text}` };
    const [row] = await sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, values);
    found.push(...walked(row!['QUERY PLAN'][0].Plan));
  }
  return found;
}

/** Reads three pages of datasets ordered by views. The order includes datasets without views. */
async function pagesByViews(
  { sql }: Call,
  order: 'VIEWS_RECENT DESC' | 'VIEWS_RECENT ASC' | 'VIEWS_TOTAL DESC' | 'VIEWS_TOTAL ASC',
) {
  const kind = { of: 'all', shows: 'public', where: {}, order } as const;
  const seen = new Set<string>();
  let from: Keyset['from'] = null;
  for (let page = 0; page < 3; page += 1) {
    const listed: Listed[] = (await listPages(sql, kind, [''], { limit: 20, backward: false, from, order }, [])).get(
      '',
    )!;
    expect(listed).toHaveLength(21);
    for (const { record } of listed.slice(0, 20)) seen.add(record.id);
    from = keyOf(listed[19]!, order);
  }
  expect(seen.size).toBe(60);
}

it('an order by views includes every dataset', async () => {
  const counts = await countLists(
    world.database.sql,
    { of: 'all', shows: 'public', where: {}, order: 'VIEWS_RECENT DESC' },
    [''],
    [],
  );
  expect(counts.get('')).toBe(ROWS);
});

it.each<[string, (call: Call) => Promise<unknown>]>([
  ['datasets by a part of the title', (call) => datasetSuggestions(call, { text: 'rare w' })],
  ['datasets by a single letter', (call) => datasetSuggestions(call, { text: 'n' })],
  ['groups', (call) => groupSuggestions(call, { text: 'rare w' }, false)],
  ['users', (call) => userSuggestions(call, { text: 'rare w', limit: 20 })],
  ['users by e-mail address', (call) => userSuggestions(call, { text: '1234@exa', limit: 20 })],
  [
    'users of a login',
    (call) => userIdsByLogin(call, { login: '1234@Example.org', byId: true, states: ['active'] }, 5),
  ],
  ['tags with words', (call) => tagList(call, { words: ['rare', 'words'], limit: 20 })],
  ...['url', 'name', 'description', 'format', 'mimetype', 'hash'].map(
    (field): [string, (call: Call) => Promise<unknown>] => [
      `resources by ${field}`,
      (call) => resourceSearch(call, { terms: [`${field}:rare${field === 'hash' ? '77x' : ' w'}`], limit: 20 }),
    ],
  ),
  ...(['VIEWS_RECENT DESC', 'VIEWS_RECENT ASC', 'VIEWS_TOTAL DESC', 'VIEWS_TOTAL ASC'] as const).map(
    (order): [string, (call: Call) => Promise<unknown>] => [
      `datasets by ${order}`,
      (call) => pagesByViews(call, order),
    ],
  ),
])('%s are found without a full table scan', async (_name, work) => {
  expect((await tablesWalked(work)).filter((table) => LARGE.includes(table))).toEqual([]);
});

it('formats come from cached counts: after the first read no table is scanned', async () => {
  const work = (call: Call) => formatSuggestions(call, { text: 'c' });
  await tablesWalked(work);
  expect((await tablesWalked(work)).filter((table) => LARGE.includes(table))).toEqual([]);
});

const READING = { reader: [true, null, [], []], timeout: { seconds: 10, setting: 'search.timeout' } } as const;

/** Plans of the statements of `work`: generic, or (ANALYZE) with the values of the run. The statements return no rows. */
async function plansOf(how: 'GENERIC_PLAN' | 'ANALYZE', work: (sql: Sql) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  await work({
    async rows({ text }, values) {
      const explain = { text: `EXPLAIN (${how}, FORMAT JSON) ${text}` };
      const given = how === 'ANALYZE' ? values : [];
      const [row] = await world.database.sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain, given);
      plans.push(row!['QUERY PLAN'][0].Plan);
      return [];
    },
  });
  return plans;
}

it('the generic plan for a page of changes scans no table', async () => {
  const plans = await plansOf('GENERIC_PLAN', (sql) => changesAfter(sql, 0, 100));
  expect(plans.map(walked)).toEqual([[]]);
});

/** Scans of a plan that compare an actor or group row by row. */
const compared = ({ Filter = '', Plans = [], ...plan }: Plan): string[] => [
  ...(/\((?:actor_id|group_id|object_id) = \((?!hashed )/.test(Filter)
    ? [`${plan['Index Name'] ?? plan['Node Type']}: ${Filter}`]
    : []),
  ...Plans.flatMap(compared),
];

/** Scans of a plan that read a whole log. */
const scans = (plan: Plan): string[] => [
  ...(/^(?:change|activity_group)$/.test(plan['Relation Name'] ?? '') &&
  (plan['Node Type'] === 'Seq Scan' || (plan['Index Name'] && !plan['Index Cond']))
    ? [`${plan['Relation Name']}: ${plan['Node Type']}`]
    : []),
  ...(plan.Plans ?? []).flatMap(scans),
];

it.each([
  ['DASHBOARD', false],
  ['DASHBOARD', true],
  ['USER', false],
  ['GROUP', false],
  ['ORGANIZATION', false],
  ['ORGANIZATION', true],
] as const)('a stream (%s, backward %s) never reads the whole log for one actor or group', async (kind, backward) => {
  const at = new Date();
  const plans = await plansOf('GENERIC_PLAN', async (sql) => {
    for (const where of [{}, { since: at }, { until: at }, { since: at, until: at }])
      await partsOfStreams(sql, kind, ['u2'], { ...FROM_NEWEST, backward, limit: 32, where }, READING);
    await listNews(sql, { after: 1, before: null }, 32, READING.reader);
  });
  expect(plans).toHaveLength(5);
  expect(plans.flatMap(compared)).toEqual([]);
  expect(plans.flatMap(scans)).toEqual([]);
});

it('a stream of many sources reads the log if its newest entries are enough', async () => {
  await world.database.sql.rows({
    text: `INSERT INTO follower (follower_id, object_type, object_id, created_at) SELECT 'u3', 'dataset', 'd' || i, now() FROM generate_series(${ROWS - 200}, ${ROWS}) AS i`,
  });
  const stepsOf = (plan: Plan): number =>
    (plan['Index Name'] === 'change_object' ? plan['Actual Loops']! : 0) +
    (plan.Plans ?? []).reduce((sum, inner) => sum + stepsOf(inner), 0);
  /** Index steps in sources. */
  const steps = async (limit: number): Promise<number> => {
    const [plan] = await plansOf('ANALYZE', (explaining) =>
      partsOfStreams(explaining, 'DASHBOARD', ['u3'], { ...FROM_NEWEST, limit }, READING),
    );
    return stepsOf(plan!);
  };
  expect(await steps(20)).toBe(0);
  expect(await steps(1_000)).toBeGreaterThan(200);
});

it('a list of all tags scans only the tags', async () => {
  expect(new Set(await tablesWalked((call) => tagList(call, {})))).toEqual(new Set(['tag']));
});
