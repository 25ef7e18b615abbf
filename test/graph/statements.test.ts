/**
 * Number of statements per list: every field of every listed type takes as many statements for many objects as for few. Two
 * catalogs have the same structure, one with more of everything. Each field is queried in both.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeIndex } from '../../src/datastore/indexes/indexes.sql.ts';
import { PREFIX } from '../../src/datastore/indexes/prefix.ts';
import { schema } from '../../src/graph/schema.ts';
import { USE } from '../../src/kernel/usage.ts';
import { IMAGES } from '../helpers/images.ts';
import type { TestUser } from '../helpers/make.ts';
import { Paths, reached, type Way } from '../helpers/paths.ts';
import { createWorld, type World } from '../helpers/world.ts';

const FEW = 2;
const MANY = 5;
/** Maximum number of paths to one type. The first path with more objects in the larger catalog is used. */
const WAYS = 12;

interface Filled {
  readonly world: World;
  readonly as: TestUser;
}

/** A catalog with `n` of each object, and `n` of each dependent object per parent. */
async function filled(n: number): Promise<Filled> {
  const world = await createWorld(
    {
      'catalog.limits.graphql_page': 1_000,
      'catalog.limits.graphql_nodes': 1_000_000,
      'catalog.limits.graphql_depth': 100,
      'catalog.limits.graphql_cost': 100_000_000,
    },
    { counts: true },
  );
  await world.datastore();
  const as = await world.make.user({ name: 'walker', sysadmin: true });
  const call = (name: string, params: Record<string, unknown>) => world.result(name, params, { as });
  async function sent(
    name: string,
    fields: Record<string, string>,
    file: string,
    bytes: BlobPart = IMAGES.png,
  ): Promise<void> {
    const body = new FormData();
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    body.append(file, new Blob([bytes]), 'a.png');
    const answered = await world.request(`/api/3/action/${name}`, {
      method: 'POST',
      body,
      headers: { authorization: as.key },
    });
    if (answered.status !== 200) throw new Error(`${name} answered ${answered.status} ${answered.text}`);
  }
  const each = Array.from({ length: n }, (_, at) => `x${at}`);
  const name = (kind: string) => (it: string) => `${kind}-${it}`;
  const users = each.map(name('user'));
  for (const user of users) {
    await world.make.user({ name: user });
    await call('follow_user', { id: user });
  }
  const followers: TestUser[] = [];
  for (const it of each) followers.push(await world.make.user({ name: `follower-${it}` }));
  for (const it of each) {
    const members = users.map((user) => ({ name: user, capacity: 'editor' }));
    const extras = each.map((key) => ({ key, value: it }));
    await call('organization_create', { name: `org-${it}`, users: members, extras });
    await call('group_create', { name: `group-${it}`, users: members, extras });
    await sent('group_patch', { id: `group-${it}` }, 'image_upload');
    await call('group_create', { name: `below-${it}`, groups: [{ name: 'group-x0' }] });
    await call('vocabulary_create', {
      name: `vocabulary-${it}`,
      tags: each.map((tag) => ({ name: `term-${it}-${tag}` })),
    });
    await call('term_translation_update', { term: `water ${it}`, term_translation: `eau ${it}`, lang_code: 'fr' });
    await call('api_token_create', { user: as.name, name: `token-${it}` });
  }
  for (const it of each) {
    const { id, resources } = await call('package_create', {
      name: `dataset-${it}`,
      title: `water ${it}`,
      license_id: 'cc-by',
      owner_org: 'org-x0',
      groups: each.map((group) => ({ name: `group-${group}` })),
      tags: each.map((tag) => ({ name: `tag ${tag}` })),
      extras: each.map((key) => ({ key, value: it })),
      resources: each.map((at) => ({ url: `http://example.com/${it}/${at}.csv`, name: `water ${at}`, format: 'CSV' })),
    });
    for (const resource of resources as { id: string }[]) {
      await sent('resource_patch', { id: resource.id }, 'upload', 'a text');
      for (const title of each)
        await call('resource_view_create', { resource_id: resource.id, view_type: 'text_view', title });
      const fields = each.map((field) => ({ id: field, type: 'int' }));
      const records = each.map((_, at) => Object.fromEntries(each.map((field) => [field, at])));
      await call('datastore_create', { resource_id: resource.id, force: true, fields, records });
      const { datastore } = world.app.callAs(world.system).stores;
      for (const field of each) {
        const columns = [[field, ''] as const, ['_id', ''] as const];
        const plan = {
          name: `${PREFIX}${resource.id}_${field}`,
          table: resource.id,
          columns,
          included: [],
          reason: 'x',
          uses: 1,
        };
        await datastore!.alone((sql) => makeIndex(sql, plan, new Date()));
      }
    }
    for (const title of each)
      await call('related_create', { title: `${title} of ${it}`, type: 'idea', dataset_id: id });
    for (const rating of followers) await world.result('rating_create', { package: id, rating: 4 }, { as: rating });
    for (const follower of followers) await world.result('follow_dataset', { id }, { as: follower });
    await call('follow_dataset', { id });
    for (const notes of each) await call('package_patch', { id, notes });
    for (const key of each)
      await call('task_status_update', { entity_id: id, entity_type: 'dataset', task_type: it, key, value: 'v' });
  }
  for (const it of each) {
    for (const kind of ['group', 'organization']) {
      const id = `${kind === 'group' ? 'group' : 'org'}-${it}`;
      await call('follow_group', { id });
      for (const follower of followers) await world.result('follow_group', { id }, { as: follower });
    }
    for (const follower of followers) await world.result('follow_user', { id: `user-${it}` }, { as: follower });
    for (const other of each.filter((at) => at !== it)) {
      const pair = { subject: `dataset-${it}`, object: `dataset-${other}`, type: 'links_to' };
      await call('package_relationship_create', pair);
    }
  }
  const { db } = world.database;
  const writtenAt = new Date();
  for (const name of each) {
    const sourceId = world.id();
    await db.harvestSource.create({
      data: { id: sourceId, name, title: name, url: `http://example.com/${name}`, kind: 'ckan', createdAt: writtenAt },
    });
    const record = { sourceId, kind: 'dataset', isOurs: true, state: 'here', writtenAt };
    const { id: objectId } = await call('package_show', { id: `dataset-${name}` });
    await db.harvestRecord.create({ data: { ...record, recordId: name, recordName: name, objectId } });
    for (const _ of each) {
      const { id: runId } = await db.harvestRun.create({
        data: { id: world.id(), sourceId, state: 'done', startedAt: writtenAt, finishedAt: writtenAt },
      });
      const remark = { runId, isFault: true, kind: 'dataset', message: 'refused' };
      for (const at of each)
        await db.harvestRemark.create({ data: { ...remark, number: each.indexOf(at), recordId: at, recordName: at } });
    }
  }
  for (const name of each) {
    const hook = { id: world.id(), userId: as.id, name, url: 'https://example.com/', secret: 'sealed', batchSize: 1 };
    await db.webhook.create({ data: { ...hook, state: 'paused', createdAt: writtenAt, cursor: 0 } });
    const letter = { webhookId: hook.id, startPlace: 0, endPlace: 1, changes: 1, attempts: 1 };
    for (const _ of each)
      await db.webhookDeadLetter.create({
        data: { id: world.id(), ...letter, createdAt: writtenAt, lastTriedAt: writtenAt },
      });
  }
  const owned = each.map((it) => ({
    name: `owned-${it}`,
    owner_org: `org-${it}`,
    resources: [{ url: 'http://example.com/', format: it }],
  }));
  for (const dataset of owned) await call('package_create', dataset);
  const used = await db.dataset.findMany({ where: { name: { startsWith: 'owned-' } } });
  await db.usageTotal.updateMany({
    where: { datasetId: { in: used.map(({ id }) => id) }, resourceId: '', kind: USE.view },
    data: { total: 1, recent: 1 },
  });
  await db.usageSearch.createMany({ data: each.map((words) => ({ day: new Date(), words, count: 2 })) });
  await db.resourceLink.updateMany({ data: { verdict: 'broken', since: writtenAt, checkedAt: writtenAt } });
  for (const { resourceId, url } of await db.resourceLink.findMany())
    for (const _ of each)
      await db.resourceLinkEvent.create({ data: { resourceId, url, verdict: 'broken', createdAt: writtenAt } });
  await world.app.score();
  return { world, as };
}

/** Arguments for fields that require some or find nothing without them. */
const GIVEN = {
  'Query.activityList': 'of: SITE',
  'Query.changes': null, // reads the log in batches, for any number of changes
  'Query.dataset': 'id: "dataset-x0"',
  'Query.datasetSuggestions': 'text: "water"',
  'Query.followerCount': 'kind: DATASET, id: "dataset-x0"',
  'Query.followerList': 'kind: DATASET, id: "dataset-x0"',
  'Query.viewerIsFollowing': 'kind: DATASET, id: "dataset-x0"',
  'Query.followees': 'id: "walker"',
  'Query.followeeCount': 'id: "walker"',
  'Query.group': 'id: "group-x0"',
  'Query.organization': 'id: "org-x0"',
  'Query.groupList': 'input: {}',
  'Query.organizationList': 'input: {}',
  'Query.groupSuggestions': 'text: "group"',
  'Query.organizationSuggestions': 'text: "org"',
  'Query.groupMembers': 'group: "group-x0"',
  'Query.siteOption': 'name: "catalog.site_title"',
  'Query.datasetRelationships': 'dataset: "dataset-x0"',
  'Query.resourceSearch': 'input: { terms: ["name:water"] }',
  'Query.formatSuggestions': 'text: "c"',
  'Query.datasetRevisions': 'id: "dataset-x0"',
  'Query.groupRevisions': 'id: "group-x0"',
  'DatasetSearchConnection.facets': 'fields: ["name", "tags"]',
  'Query.datasetSearch': 'input: { query: "water", facetFields: ["name", "tags"] }',
  'Query.revisions': 'first: 1000',
  'Query.search': 'query: "water"',
  'Query.table': null, // one table: tables of datasets are covered instead
  'Query.tag': 'id: "tag x0"',
  'Query.user': 'id: "walker"',
  'Query.userSuggestions': 'text: "user"',
  'Query.webhook': null, // one webhook: webhooks of the list are covered instead
  'QualitySummary.timeline': 'interval: MONTH',
  'Query.timeline': 'of: CREATED, interval: DAY, by: ORGANIZATION, first: 50',
  'Query.vocabulary': 'id: "vocabulary-x0"',
  'Statistics.groups': 'by: TAG, first: 100',
  'Table.aggregate': 'groupBy: [{ field: "x0" }], figures: [{ figure: SUM, field: "x0" }]',
};

/** Types of lists whose length is set by the software or by the request. */
const FIXED = [
  'License',
  'LinkStatistics',
  'QualityCheck',
  'QualityCheckCount',
  'QualityDimension',
  'QualityDimensionMean',
  'QualityDimensionTimeline',
  'QualityRatingCount',
  'QualityRatingTimeline',
  'MemberRole',
  'SiteOption',
  'Setting',
  'StateStatistics',
  'DatasetSchema',
  'ResourceViewType',
  'ResourceViewField',
  'SearchFacet',
  'SearchFacetList',
  'SearchFacetValueConnection',
  'ServerProcess',
  'TrafficPeriod',
  'SlowRequest',
  'JobCount',
  'DatastoreTableSize',
];

/** Tables are separate relations: reading records takes one statement per table, and one more for a count. */
const PER_TABLE = /\btable \{ (size|records|aggregate)/;
const statementsOfTables = (query: string): number => (PER_TABLE.test(query) ? 2 * (MANY - FEW) : 0);

/** Lists of Query that need ids as arguments: one statement each, covered by separate tests. */
const LEFT_OUT = ['activityDetails', 'changes', '_entities', 'nodes', 'tableSearch', 'tableQuery', 'taskStatuses'];

const paths = new Paths(schema, GIVEN);
let few: Filled;
let many: Filled;
beforeAll(async () => {
  [few, many] = await Promise.all([filled(FEW), filled(MANY)]);
}, 300_000);
afterAll(() => Promise.all([few, many].map(({ world }) => world.end())));

/** The answer, and the statements of a second run with everything prepared. */
async function asked({ world, as }: Filled, query: string): Promise<{ data: unknown; statements: string[] }> {
  await world.full(query, {}, { as });
  let data: unknown;
  const statements = await world.statementsOf(async () => {
    const { body, text } = await world.full(query, {}, { as });
    if (body.errors) throw new Error(`${query}\nanswered ${text.slice(0, 1000)}`);
    data = body.data;
  });
  return { data, statements };
}

const TYPES = [...paths.through(WAYS)].filter(([name, ways]) => ways.length > 0 && !FIXED.includes(name));

it('finds a path to every listed type', () => {
  expect(TYPES.length).toBeGreaterThan(55);
});

it('covers every list of Query except those with separate tests', () => {
  const root = schema.getQueryType()!;
  const asked = paths.fields(root).map(({ name }) => name);
  const lists = Object.values(root.getFields()).filter(({ type }) => /\]|(Connection|Result)!?$/.test(String(type)));
  expect(lists.map(({ name }) => name).filter((name) => !asked.includes(name))).toEqual(LEFT_OUT);
});

describe('as many statements for many as for few', () => {
  it.each(TYPES)('%s', async (_name, ways) => {
    const way = await fullest(ways);
    if (!way) throw new Error(`nowhere more of it: ${ways.map((it) => paths.operation(it, '__typename')).join('\n')}`);
    const grown: string[] = [];
    for (const field of paths.fields(way.type)) {
      const query = paths.operation(way, paths.whole(way.type, field));
      const [small, large] = [await asked(few, query), await asked(many, query)];
      if (large.statements.length > small.statements.length + statementsOfTables(query))
        grown.push(
          `${small.statements.length} → ${large.statements.length}: ${query}\n  ${repeated(large.statements)}`,
        );
    }
    if (grown.length > 0) throw new Error(grown.join('\n'));
  });
});

it('reads many changes with as many statements as few', async () => {
  const page = (first: number) =>
    `{ changes(first: ${first}) { nodes { name node { id } dataset { name } actor { name } revision { id } } } }`;
  expect((await asked(many, page(20))).statements).toHaveLength((await asked(many, page(10))).statements.length);
});

/** The first path with more objects in the larger catalog. */
async function fullest(ways: readonly Way[]): Promise<Way | null> {
  for (const way of ways) {
    const query = paths.operation(way, '__typename');
    const counts: number[] = [];
    for (const it of [few, many]) counts.push(reached((await asked(it, query)).data, way.steps));
    if (counts[1]! > counts[0]! && counts[0]! > 0) return way;
  }
  return null;
}

/** The most frequent statement with its count. */
function repeated(statements: readonly string[]): string {
  const times = new Map<string, number>();
  for (const text of statements) times.set(text, (times.get(text) ?? 0) + 1);
  const [text, n] = [...times].sort(([, a], [, b]) => b - a)[0]!;
  return `${n} × ${text.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
}
