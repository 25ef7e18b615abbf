/**
 * Counts, facets, histograms and pages of searches with hidden datasets equal plain SQL, for each kind of caller and scope, before,
 * between and after random writes. They are counted in the process, so a repeated query sends no search to PostgreSQL.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { documentsRebuild } from '../../src/catalog/dataset/read/documents.service.ts';
import { searchRebuild } from '../../src/search/index/index.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { actorOf, readableIds } from './statistics.helper.ts';

const DATASETS = 120;
const WRITES = 150;
const DAY = 86_400_000;
const at = (days: number) => new Date(Math.floor(Date.now() / DAY) * DAY - days * DAY).toISOString();
const [EARLY, LATE] = [at(700), at(90)];

interface Question {
  readonly args: { query?: string; filters?: string[]; where?: object };
  /** The same condition on a row `d` of dataset. */
  readonly sql: string;
}

const TAGGED = (name: string) =>
  `EXISTS (SELECT FROM dataset_tag u JOIN tag t ON t.id = u.tag_id WHERE u.dataset_id = d.id AND t.name = '${name}')`;
const FORMATTED = `EXISTS (SELECT FROM resource r WHERE r.dataset_id = d.id AND r.state = 'active' AND r.format = 'CSV')`;
const OWNED = `d.owner_organization_id = (SELECT id FROM group_account WHERE name = 'office-1')`;
const QUESTIONS: readonly Question[] = [
  { args: {}, sql: 'true' },
  { args: { where: { organizations: ['office-1'] } }, sql: OWNED },
  {
    args: { where: { tags: ['air', 'soil'], formats: ['CSV'] } },
    sql: `(${TAGGED('air')} OR ${TAGGED('soil')}) AND ${FORMATTED}`,
  },
  { args: { filters: ['-tags:air'] }, sql: `NOT ${TAGGED('air')}` },
  { args: { filters: ['tags:air OR res_format:CSV'] }, sql: `(${TAGGED('air')} OR ${FORMATTED})` },
  {
    args: { where: { createdFrom: EARLY, createdTo: LATE } },
    sql: `d.created_at >= '${EARLY}' AND d.created_at < '${LATE}'::timestamptz + interval '1 ms'`,
  },
  { args: { where: { modifiedFrom: LATE } }, sql: `d.modified_at >= '${LATE}'` },
  {
    args: { filters: [`metadata_created:{${EARLY} TO ${LATE}}`] },
    sql: `d.created_at > '${EARLY}' AND d.created_at < '${LATE}'`,
  },
  {
    args: { filters: [`NOT metadata_modified:[* TO ${LATE}]`, '-organization:office-1'] },
    sql: `d.modified_at > '${LATE}' AND (${OWNED}) IS NOT TRUE`,
  },
  {
    args: { where: { organizations: ['office-1'], createdTo: LATE } },
    sql: `${OWNED} AND d.created_at < '${LATE}'::timestamptz + interval '1 ms'`,
  },
  { args: { query: 'title:river' }, sql: `d.title ~ '\\yriver\\y'` },
  {
    args: { query: 'title:river', where: { organizations: ['office-1'], modifiedTo: LATE } },
    sql: `d.title ~ '\\yriver\\y' AND ${OWNED} AND d.modified_at < '${LATE}'::timestamptz + interval '1 ms'`,
  },
];

const SCOPES = [
  { includePrivate: false, includeDrafts: false },
  { includePrivate: true, includeDrafts: false },
  { includePrivate: false, includeDrafts: true },
  { includePrivate: true, includeDrafts: true },
] as const;
type Scope = (typeof SCOPES)[number];

const VALUES: Record<string, string> = {
  tags: 'SELECT t.name, u.dataset_id FROM dataset_tag u JOIN tag t ON t.id = u.tag_id WHERE t.vocabulary_id IS NULL',
  res_format: `SELECT DISTINCT format, dataset_id FROM resource WHERE state = 'active'`,
  organization: 'SELECT g.name, d.id FROM dataset d JOIN group_account g ON g.id = d.owner_organization_id',
  license_id: 'SELECT license_id, id FROM dataset WHERE license_id IS NOT NULL',
};
const FIELDS = Object.keys(VALUES);

const SEARCH = `query ($query: String, $filters: [String!], $where: DatasetConditions, $includePrivate: Boolean, $includeDrafts: Boolean, $fields: [String!]!) {
  search(query: $query, filters: $filters, where: $where, includePrivate: $includePrivate, includeDrafts: $includeDrafts, orderBy: [{ field: MODIFIED }], first: 100) {
    totalCount nodes { name }
    facets(fields: $fields) { field values(first: 100) { totalCount nodes { name count } } }
    created: dateHistogram(of: CREATED, interval: MONTH, direction: ASC, first: 100) { nodes { from count } }
    modified: dateHistogram(of: MODIFIED, interval: WEEK, first: 100) { nodes { from count } }
  } }`;

let world: World;
let write: (number: number) => Promise<void>;
let callers: [string, TestUser | null][];

const rows = <Row>(text: string, values: unknown[] = []) =>
  world.database.pool.query(text, values).then((found) => found.rows as Row[]);

beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  const { make } = world;
  const [member, editor, creator, stranger] = [
    await make.user(),
    await make.user(),
    await make.user(),
    await make.user(),
  ];
  const admin = await make.sysadmin();
  const members = { [member.id]: 'member', [editor.id]: 'editor' } as const;
  const organizations = [];
  for (let n = 0; n < 4; n += 1)
    organizations.push(await make.organization({ name: `office-${n}`, members: n < 2 ? members : {} }));
  const groups = [await make.group({ name: 'theme-0' }), await make.group({ name: 'theme-1' })];
  write = randomWrites({ world, admin, editor, organizations, groups });
  for (let n = 0; n < DATASETS; n += 1)
    await world.result(
      'package_create',
      {
        name: `set-${n}`,
        title: n % 3 ? `river ${n}` : `lake ${n}`,
        private: n % 3 === 1 && n % 5 !== 4,
        state: n % 7 === 0 ? 'draft' : 'active',
        owner_org: n % 5 === 4 ? '' : organizations[n % 4]!.id,
        tags: [{ name: ['air', 'water', 'soil'][n % 3]! }],
        license_id: n % 2 ? 'cc-by' : '',
        resources: [{ url: 'http://x', format: ['CSV', 'PDF', ''][n % 3]! }],
      },
      { as: n % 5 === 4 ? creator : admin },
    );
  await spreadTimes();
  callers = [
    ['visitor', null],
    ['stranger', stranger],
    ['creator', creator],
    ['member', member],
    ['editor', editor],
    ['sysadmin', admin],
  ];
}, 300_000);
afterAll(() => world.end());

/** Spreads creation and modification times over the last years, including the bounds of the questions. */
async function spreadTimes(): Promise<void> {
  await rows(
    `UPDATE dataset d SET created_at = t.created, modified_at = t.modified FROM (
       SELECT id, CASE WHEN n = 1 THEN $1::timestamptz WHEN n = 2 THEN $2::timestamptz + interval '999 microseconds' WHEN n = 3 THEN $2::timestamptz
           ELSE now() - n * interval '311 hours' END AS created,
         CASE WHEN n = 4 THEN $2::timestamptz ELSE now() - n * n * interval '21 minutes' END AS modified
       FROM (SELECT id, row_number() OVER (ORDER BY name) AS n FROM dataset) o) t WHERE d.id = t.id`,
    [EARLY, LATE],
  );
  const call = () => world.app.callAs(world.system);
  for await (const _ of documentsRebuild(call()));
  for await (const _ of searchRebuild(call()));
}

async function asked(question: Question, scope: Scope, as: TestUser | null): Promise<any> {
  const { body } = await world.graph(SEARCH, { ...question.args, ...scope, fields: FIELDS }, { as });
  expect([question.args, body.errors]).toEqual([question.args, undefined]);
  const { totalCount, nodes, facets, created, modified } = body.data.search;
  const counts = ({ nodes }: any) => nodes.map((it: any) => [it.name ?? it.from.slice(0, 10), it.count]);
  return {
    totalCount,
    names: nodes.map(({ name }: any) => name),
    facets: Object.fromEntries(facets.map(({ field, values }: any) => [field, counts(values)])),
    totals: facets.map(({ values }: any) => values.totalCount),
    created: counts(created),
    modified: counts(modified).reverse(),
  };
}

/** The expected answer, by SQL and the policies of single reads. */
async function expected(
  { sql }: Question,
  { includePrivate, includeDrafts }: Scope,
  as: TestUser | null,
): Promise<any> {
  const actor = await actorOf(world, as);
  const readable = await readableIds(world, actor);
  const found = await rows<{ id: string; name: string }>(
    `SELECT d.id, d.name FROM dataset d JOIN dataset_search s ON s.dataset_id = d.id WHERE d.id = ANY ($1) AND (${sql}) AND ($2 OR NOT d.private)
       AND (d.state = 'active' OR ($3 AND d.state = 'draft' AND ($4 OR d.creator_id = $5))) ORDER BY d.modified_at DESC, s.number`,
    [readable, includePrivate, includeDrafts && (actor.sysadmin || as !== null), actor.sysadmin, as?.id ?? ''],
  );
  const ids = found.map(({ id }) => id);
  const counted = async (from: string, order: string) =>
    (
      await rows<{ value: string; n: number }>(
        `SELECT v.value, count(*)::int AS n FROM (${from}) v(value, id) WHERE v.id = ANY ($1) GROUP BY 1 ORDER BY ${order}`,
        [ids],
      )
    ).map(({ value, n }) => [value, n]);
  const facets: Record<string, unknown[][]> = {};
  for (const field of FIELDS) facets[field] = await counted(VALUES[field]!, '2 DESC, v.value COLLATE "C"');
  const perPeriod = (column: string, period: string) =>
    counted(
      `SELECT to_char(date_trunc('${period}', ${column} AT TIME ZONE 'UTC'), 'YYYY-MM-DD'), id FROM dataset`,
      '1',
    );
  return {
    totalCount: ids.length,
    names: found.map(({ name }) => name).slice(0, 100),
    facets,
    totals: FIELDS.map((field) => facets[field]!.length),
    created: await perPeriod('created_at', 'month'),
    modified: await perPeriod('modified_at', 'week'),
  };
}

const allowed = (as: TestUser | null) => SCOPES.filter(({ includePrivate }) => as !== null || !includePrivate);

async function compare(questions = QUESTIONS): Promise<number> {
  const sizes = new Set<number>();
  for (const [name, as] of callers)
    for (const scope of allowed(as))
      for (const question of questions) {
        const [found, right] = [await asked(question, scope, as), await expected(question, scope, as)];
        expect([name, scope, question.args, found]).toEqual([name, scope, question.args, right]);
        if (question === QUESTIONS[0]) sizes.add(found.totalCount);
      }
  return sizes.size;
}

it('equals SQL on the first request', async () => {
  expect(await compare()).toBeGreaterThanOrEqual(5); // callers see different datasets
}, 300_000);

it('equals SQL when lists are cached', async () => {
  await compare();
}, 300_000);

it('sends no search to PostgreSQL when lists are cached', async () => {
  for (const [name, as] of callers)
    for (const question of QUESTIONS) {
      const scope = allowed(as).at(-1)!;
      const isSmall = async () =>
        (await world.statementsOf(() => asked(question, scope, as))).every((text) => !text.includes('MATERIALIZED'));
      await until(isSmall, () => [name, question.args]);
    }
}, 300_000);

it(`equals SQL after ${WRITES} random writes, and immediately between them`, async () => {
  for (let number = 1; number <= WRITES; number += 1) {
    await write(number);
    if (number % 50 === 0) await compare([QUESTIONS[number / 50]!, QUESTIONS[0]!]);
  }
  await compare();
}, 600_000);

it('shows private datasets to a new member at once, and hides them from a former one', async () => {
  const [, admin] = callers.at(-1)!;
  const [, stranger] = callers[1]!;
  const [question, scope] = [QUESTIONS[1]!, SCOPES[1]];
  const before = await asked(question, scope, stranger);
  const about = { id: 'office-1', username: stranger!.name };
  await world.result('organization_member_create', { ...about, role: 'member' }, { as: admin });
  const during = await asked(question, scope, stranger);
  expect(during).toEqual(await expected(question, scope, stranger));
  expect(during.totalCount).toBeGreaterThan(before.totalCount);
  await world.result('organization_member_delete', about, { as: admin });
  expect(await asked(question, scope, stranger)).toEqual(before);
});
