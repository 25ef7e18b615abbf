import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { countStreams, FROM_NEWEST, partsOfStreams } from '../../src/catalog/activity/activity.sql.ts';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let ann: TestUser;
let eve: TestUser;
const NAMES = ['one', 'two', 'three'];
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  ann = await world.make.user({ name: 'ann' });
  eve = await world.make.user({ name: 'eve' });
  for (const name of NAMES) {
    await world.result('organization_create', { name: `${name}-org` }, { as: ann });
    await world.result('group_create', { name: `${name}-group` }, { as: ann });
    const filed = { owner_org: `${name}-org`, groups: [{ name: `${name}-group` }] };
    await world.result('package_create', { name: `${name}-data`, title: name, ...filed }, { as: ann });
    await world.result('package_patch', { id: `${name}-data`, tags: [{ name: 'water' }] }, { as: ann });
    await world.result('follow_dataset', { id: `${name}-data` }, { as: eve });
  }
});
afterAll(() => world.end());

const ask = async (query: string, as: TestUser | null = null) => {
  const { body } = await world.graph(query, {}, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

describe('activities', () => {
  it('have typed fields and can be read by global id', async () => {
    const { dataset } = await ask(
      `{ dataset(id: "one-data") { activities { totalCount nodes { id type actor { name } objectName objectTitle isNew
        object { __typename ... on Dataset { name } } details { piece change title } } } } }`,
    );
    expect(dataset.activities).toMatchObject({
      totalCount: 2,
      nodes: [
        {
          type: 'DATASET_CHANGED',
          actor: { name: 'ann' },
          objectName: 'one-data',
          objectTitle: 'one',
          isNew: false,
          object: { __typename: 'Dataset', name: 'one-data' },
          details: [{ piece: 'TAG', change: 'CREATED', title: 'water' }],
        },
        { type: 'DATASET_CREATED', details: [{ piece: 'DATASET', change: 'CREATED', title: 'one' }] },
      ],
    });
    const [first] = dataset.activities.nodes;
    const { node } = await ask(`{ node(id: "${first.id}") { id ... on Activity { type objectName } } }`);
    expect(node).toEqual({ id: first.id, type: 'DATASET_CHANGED', objectName: 'one-data' });
  });

  it.each([
    ['activities', '', 12],
    ['viewerDashboard', 'activities', 6],
    ['organization(id: "two-org")', 'activities', 3],
    ['group(id: "two-group")', 'activities', 3],
    ['user(id: "ann")', 'activities', 12],
  ])('of %s can be paged by cursor without gaps', async (root, field, count) => {
    const page = async (first: number, after: string | null) => {
      const args = `(first: ${first}, after: ${JSON.stringify(after)})`;
      const list = '{ totalCount nodes { databaseId happenedAt } pageInfo { hasNextPage endCursor } }';
      const data = await ask(
        field ? `{ it: ${root} { ${field}${args} ${list} } }` : `{ it: ${root}${args} ${list} }`,
        eve,
      );
      return field ? data.it[field] : data.it;
    };
    const whole = await page(100, null);
    expect(whole).toMatchObject({ totalCount: count, pageInfo: { hasNextPage: false } });
    expect(whole.nodes).toHaveLength(count);
    const ids: string[] = [];
    for (let after: string | null = null, more = true; more; ) {
      const { nodes, pageInfo } = await page(2, after);
      ids.push(...nodes.map(({ databaseId }: any) => databaseId));
      [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
    }
    expect(ids).toEqual(whole.nodes.map(({ databaseId }: any) => databaseId));
  });

  it.each(['datasets', 'groups', 'organizations'])(
    'of %s need as many statements for three objects as for one',
    async (list) => {
      const NODES = '{ type isNew actor { name } object { __typename } details { title } }';
      const sent = async (first: number, activities: number) =>
        (
          await world.statementsOf(() =>
            ask(
              `{ ${list}(first: ${first}) { nodes { activities(first: ${activities}) { totalCount nodes ${NODES} } } } }`,
              eve,
            ),
          )
        ).length;
      expect(await sent(3, 3)).toBe(await sent(1, 3));
    },
  );
});

describe('streams of activities', () => {
  it('use generic plans, because planning costs more than reading', async () => {
    const one = openDatabase({ url: world.database.url, max: 1 });
    const reading = { reader: [false, null, [], []], timeout: { seconds: 60, setting: 'search.timeout' } };
    try {
      for (const kind of ['DATASET', 'GROUP', 'ORGANIZATION', 'USER', 'DASHBOARD'] as const)
        for (let run = 0; run < 7; run += 1) {
          for (const backward of [false, true])
            await partsOfStreams(one.sql, kind, ['nobody'], { ...FROM_NEWEST, backward, limit: 3 }, reading);
          await countStreams(one.sql, kind, {}, ['nobody'], reading);
        }
      const plans = await one.sql.rows<{ name: string; generic: number }>({
        text: `SELECT name, generic_plans::int AS generic FROM pg_prepared_statements WHERE name LIKE 'activit%' ORDER BY name`,
      });
      expect(plans).toHaveLength(15);
      expect(plans.filter(({ generic }) => generic !== 2)).toEqual([]); // PostgreSQL tries 5 custom plans first
    } finally {
      await one.close();
    }
  });

  it('with conditions fail with LIMIT after search.timeout', async () => {
    const hasty = await createWorld({ 'search.timeout': 3 });
    const holder = new pg.Client({ connectionString: hasty.database.url });
    await holder.connect();
    try {
      const rare = () => hasty.graph('{ activities(where: { types: [GROUP_FOLLOWED] }) { nodes { databaseId } } }');
      expect((await rare()).body.data).toEqual({ activities: { nodes: [] } });
      await holder.query('BEGIN; LOCK TABLE change');
      expect((await rare()).body.errors).toMatchObject([
        { message: expect.stringContaining('search.timeout'), extensions: { code: 'LIMIT' } },
      ]);
      await holder.query('ROLLBACK');
      expect((await rare()).body.data).toEqual({ activities: { nodes: [] } });
    } finally {
      await holder.end();
      await hasty.end();
    }
  });
});

describe('viewerDashboard', () => {
  const NEWS = '{ viewerDashboard { newActivityCount seenAt activities(first: 1) { nodes { databaseId isNew } } } }';

  it('refuses visitors', async () => {
    const { body } = await world.graph(NEWS);
    expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
  });

  it('can be marked as seen up to an activity, and never moves back', async () => {
    const mark = async (activityId: string | null) =>
      (
        await world.graph(
          'mutation ($input: MarkDashboardSeenInput!) { markDashboardSeen(input: $input) { dashboard { newActivityCount } errors { code message path } } }',
          { input: { activityId } },
          { as: eve },
        )
      ).body.data.markDashboardSeen;
    expect((await ask(NEWS, eve)).viewerDashboard).toMatchObject({ newActivityCount: 6 });
    const { datasetActivities } = await ask(
      '{ datasetActivities: activities(where: { types: [DATASET_CREATED, DATASET_CHANGED, DATASET_DELETED] }, first: 6) { nodes { databaseId } } }',
    );
    const [newest, second] = datasetActivities.nodes;
    expect(await mark(second.databaseId)).toEqual({ dashboard: { newActivityCount: 1 }, errors: [] });
    expect((await ask(NEWS, eve)).viewerDashboard.activities.nodes).toEqual([
      { databaseId: newest.databaseId, isNew: true },
    ]);
    expect(await mark(datasetActivities.nodes[5].databaseId)).toMatchObject({ dashboard: { newActivityCount: 1 } });
    expect(await mark('nope')).toMatchObject({
      dashboard: null,
      errors: [{ code: 'VALIDATION', path: ['activityId'] }],
    });
    expect(await mark(null)).toMatchObject({ dashboard: { newActivityCount: 0 } });
  });
});
