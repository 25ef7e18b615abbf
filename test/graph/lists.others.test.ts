/** Sort orders and filters of users, groups, organizations, resources, jobs and activities, in both directions. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { compareText } from '../../src/kernel/text.ts';
import type { TestUser } from '../helpers/make.ts';
import { walkBoth } from '../helpers/pages.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let boss: TestUser;
let member: TestUser;
const TITLES = ['same', 'Same', 'Ärger', '😀', '\uffee', '', 'zebra', 'same'];
const sql = (text: string) => world.database.sql.rows<any>({ text });
/** Names of a list in both directions, which must agree. */
const names = (list: string, as: TestUser | null = null) =>
  walkBoth(world, list, '{ name }', { as, size: 3 }).then((nodes) => nodes.map(({ name }) => name));
/** Expects the names in an order, and in its reverse. */
const bothWays = async (list: (direction: string) => string, rows: any[], compare: (a: any, b: any) => number) => {
  const sorted = [...rows].sort(compare).map(({ name }) => name);
  expect(await names(list('ASC'))).toEqual(sorted);
  expect(await names(list('DESC'))).toEqual(sorted.reverse());
};

beforeAll(async () => {
  world = await createWorld();
  boss = await world.make.sysadmin();
  member = await world.make.user({ name: 'member' });
  const call = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: boss });
  for (const [n, title] of TITLES.entries()) {
    const users = n === 0 ? [{ name: 'member', capacity: 'editor' }] : [];
    await call('organization_create', { name: `o${n}`, title, users });
    await call('group_create', { name: `g${n}`, title });
    const { id } = await world.make.user({ name: `u${n}` });
    await world.graph(
      'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { errors { message } } }',
      {
        input: { user: id, fullName: title },
      },
      { as: boss },
    );
    await call('package_create', {
      name: `d${n}`,
      owner_org: `o${n % 3}`,
      private: n === 3,
      groups: n % 2 === 0 ? [{ name: `g${n % 4}` }] : [],
      resources: [
        { name: title || undefined, url: `http://example.com/${n}%`, format: n % 2 ? 'CSV' : 'PDF', hash: `a${n}` },
        { name: 'same', url: 'http://example.com/', last_modified: `2020-01-0${(n % 3) + 1}T00:00:00` },
      ],
    });
  }
  await call('group_delete', { id: 'g7' });
  await sql(
    `UPDATE group_account SET created_at = timestamptz '2020-01-01Z' + (right(name, 1)::int / 3) * interval '1 microsecond'`,
  );
  await sql(
    `UPDATE user_account SET created_at = timestamptz '2020-01-01Z' + (length(name) % 2) * interval '1 microsecond'`,
  );
  await sql(`UPDATE resource SET created = NULL WHERE position = 1`);
});
afterAll(() => world.end());

describe('groups and organizations', () => {
  it.each(['groups', 'organizations'])('%s are sorted by each field', async (list) => {
    const rows =
      await sql(`SELECT g.name, lower(COALESCE(NULLIF(g.title, ''), g.name)) AS title, extract(epoch FROM g.created_at)::float8 AS created,
      (SELECT count(*)::int FROM dataset d WHERE d.state = 'active' AND NOT d.private AND (d.owner_organization_id = g.id
        OR d.id IN (SELECT dataset_id FROM dataset_group f WHERE f.group_id = g.id))) AS count
      FROM group_account g WHERE g.state = 'active' AND g.is_organization = ${list === 'organizations'}`);
    expect(rows).toHaveLength(list === 'groups' ? 7 : 8);
    const by = (field: string) => (direction: string) =>
      `${list}(orderBy: { field: ${field}, direction: ${direction} }`;
    await bothWays(by('NAME'), rows, (a, b) => compareText(a.name, b.name));
    await bothWays(by('TITLE'), rows, (a, b) => compareText(a.title, b.title) || compareText(a.name, b.name));
    await bothWays(by('CREATED'), rows, (a, b) => a.created - b.created || compareText(b.name, a.name));
    await bothWays(by('DATASET_COUNT'), rows, (a, b) => a.count - b.count || compareText(b.name, a.name));
    expect(await names(`${list}(orderBy: null`)).toEqual(rows.map(({ name }) => name).sort());
  });

  it('are found by a part of the name or title', async () => {
    expect(await names('groups(where: { text: "SAME" }')).toEqual(['g0', 'g1']);
    expect(await names('organizations(where: { text: "O5" }')).toEqual(['o5']);
    expect(await names('groups(where: { text: "%" }')).toEqual([]);
    expect(await names('groups(where: { type: "organization" }')).toEqual([]);
  });
});

describe('users', () => {
  it('are sorted by each field', async () => {
    const rows = await sql(
      `SELECT name, display_name AS shown, extract(epoch FROM created_at)::float8 AS created FROM user_account`,
    );
    await bothWays(
      (way) => `users(orderBy: { field: NAME, direction: ${way} }`,
      rows,
      (a, b) => compareText(a.shown, b.shown) || compareText(a.name, b.name),
    );
    await bothWays(
      (way) => `users(orderBy: { field: CREATED, direction: ${way} }`,
      rows,
      (a, b) => a.created - b.created || compareText(b.name, a.name),
    );
    expect(await names('users(where: { text: "same" }, orderBy: { field: CREATED }')).toEqual(['u0', 'u1', 'u7']);
  });
});

const RESOURCE_FIELDS: Record<string, (row: any) => string> = {
  NAME: ({ name }) => name ?? '',
  CREATED: ({ created }) => created ?? '',
  MODIFIED: ({ modified, created }) => modified ?? created ?? '',
};

describe('resources', () => {
  const ids = async (list: string, as: TestUser | null = null) =>
    (await walkBoth(world, list, '{ databaseId }', { as, size: 4 })).map(({ databaseId }) => databaseId);
  const all = () =>
    sql(`SELECT r.id, r.name, r.created, r.last_modified AS modified, r.format, r.url, r.hash, d.name AS dataset, d.private
      FROM resource r JOIN dataset d ON d.id = r.dataset_id`);

  it.each(Object.keys(RESOURCE_FIELDS))('are sorted by %s and limited to public datasets', async (field) => {
    const rows = (await all()).filter((row) => !row.private);
    const key = RESOURCE_FIELDS[field]!;
    const sign = field === 'NAME' ? 1 : -1;
    const sorted = rows
      .sort((a, b) => compareText(key(a), key(b)) || sign * compareText(a.id, b.id))
      .map(({ id }) => id);
    for (const as of [null, member, boss]) {
      expect(await ids(`resources(orderBy: { field: ${field}, direction: ASC }`, as)).toEqual(sorted);
      expect(await ids(`resources(orderBy: { field: ${field}, direction: DESC }`, as)).toEqual(sorted.toReversed());
    }
  });

  it('are found by each condition', async () => {
    const rows = (await all()).filter((row) => !row.private);
    const found = async (where: string, fits: (row: any) => boolean) =>
      expect((await ids(`resources(where: { ${where} }`)).sort()).toEqual(
        rows
          .filter(fits)
          .map(({ id }) => id)
          .sort(),
      );
    await found('format: "csv"', ({ format }) => format === 'CSV');
    await found('format: "CS"', () => false);
    await found('name: "SAM"', ({ name }) => name?.toLowerCase().includes('sam'));
    await found('url: "%"', ({ url }) => url.includes('%'));
    await found('hash: "A1"', ({ hash }) => hash.startsWith('a1'));
    await found('dataset: "d1", format: "CSV"', ({ dataset, format }) => dataset === 'd1' && format === 'CSV');
  });

  it('of a private dataset are visible to its readers only', async () => {
    expect(await ids('resources(where: { dataset: "d3" }', boss)).toHaveLength(2);
    expect(await ids('resources(where: { dataset: "d3" }', member)).toHaveLength(2);
    for (const dataset of ['d3', 'nowhere'])
      expect(
        (await world.graph(`{ resources(where: { dataset: "${dataset}" }) { totalCount } }`)).body.errors,
      ).toMatchObject([
        {
          extensions: { code: 'VALIDATION', problems: [{ path: ['where', 'dataset'], message: 'Not found: Dataset' }] },
        },
      ]);
  });
});

describe('jobs', () => {
  it('are found by each condition, and sorted by id if created at the same time', async () => {
    const call = world.app.callAs(world.system);
    for (let n = 0; n < 5; n += 1)
      await enqueue(call, { kind: n % 2 ? 'odd' : 'even', subjectType: 'thing', subjectId: `${n}`, datasetId: null });
    await sql(
      `UPDATE job SET created_at = timestamptz '2020-01-01Z' + (subject_id::int / 2) * interval '1 microsecond' WHERE kind IN ('odd', 'even')`,
    );
    const rows = await sql(
      `SELECT id, kind, created_at FROM job WHERE kind IN ('odd', 'even') ORDER BY created_at DESC, id DESC`,
    );
    const ids = async (where: string) =>
      (await walkBoth(world, `jobs(where: { ${where} }`, '{ databaseId }', { as: boss, size: 2 })).map(
        (job) => job.databaseId,
      );
    for (const kind of ['odd', 'even'])
      expect(await ids(`kind: "${kind}"`)).toEqual(rows.filter((row) => row.kind === kind).map(({ id }) => id));
    const old = new Set(rows.map(({ id }) => id));
    expect((await ids('')).filter((id) => old.has(id))).toEqual(rows.map(({ id }) => id));
    const oldest = 'jobs(orderBy: { field: CREATED, direction: ASC }';
    const ascending = await walkBoth(world, oldest, '{ databaseId }', { as: boss, size: 2 });
    expect(ascending.map((job) => job.databaseId)).toEqual((await ids('')).toReversed());
    const until = 'until: "2020-01-01T00:00:00Z"'; // includes the microseconds of that millisecond
    expect(await ids(until)).toEqual(rows.map(({ id }) => id));
    expect(await ids('until: "2019-12-31T23:59:59.999Z"')).toEqual([]);
    expect((await ids('since: "2020-01-02T00:00:00Z"')).filter((id) => old.has(id))).toEqual([]);
    expect(await ids('since: "2020-01-01T00:00:00Z", kind: "odd", state: DONE')).toEqual([]);
  });
});

describe('activities', () => {
  const list = async (where: string, as: TestUser | null = null) =>
    walkBoth(world, `activities(where: { ${where} }`, '{ databaseId type happenedAt actorId objectId }', {
      as,
      size: 5,
    });

  it('are found by each condition, and by several', async () => {
    for (const as of [null, member, boss]) {
      const all = await list('', as);
      expect(all.length).toBeGreaterThan(20);
      const same = async (where: string, fits: (activity: any) => boolean) =>
        expect(await list(where, as)).toEqual(all.filter(fits));
      await same('types: [DATASET_CREATED, GROUP_DELETED]', ({ type }) =>
        ['DATASET_CREATED', 'GROUP_DELETED'].includes(type),
      );
      await same(`actor: "${boss.name}"`, ({ actorId }) => actorId === boss.id);
      const { objectId, happenedAt: middle } = all[Math.floor(all.length / 2)];
      await same(`object: "${objectId}"`, (activity) => activity.objectId === objectId);
      await same(`since: "${middle}"`, ({ happenedAt }) => happenedAt >= middle);
      await same(`until: "${middle}"`, ({ happenedAt }) => happenedAt <= middle);
      await same(
        `since: "${middle}", until: "${middle}", types: [DATASET_CREATED]`,
        ({ happenedAt, type }) => happenedAt === middle && type === 'DATASET_CREATED',
      );
      await same('since: "2990-01-01T00:00:00Z"', () => false);
      await same('until: "1990-01-01T00:00:00Z"', () => false);
    }
  });

  it('are sorted in the order of the log, in both directions', async () => {
    for (const as of [null, member, boss]) {
      const walk = (order: string) =>
        walkBoth(world, `activities(orderBy: { field: HAPPENED${order} }`, '{ databaseId }', { as, size: 5 });
      const newest = await walk('');
      expect(newest.length).toBeGreaterThan(20);
      expect(await walk(', direction: DESC')).toEqual(newest);
      expect(await walk(', direction: ASC')).toEqual(newest.toReversed());
    }
    const ofOne = 'organization(name: "o1") { activities(first: 50';
    const both = await world.graph(
      `{ a: ${ofOne}) { nodes { id } } } b: ${ofOne}, orderBy: { field: HAPPENED, direction: ASC }) { nodes { id } } } }`,
    );
    const { a, b } = both.body.data;
    expect(a.activities.nodes.length).toBeGreaterThan(2);
    expect(b.activities.nodes).toEqual(a.activities.nodes.toReversed());
  });

  it('refuse a cursor of the other order', async () => {
    const [one, other] = ['', ', orderBy: { field: HAPPENED, direction: ASC }'];
    for (const [made, sent] of [
      [one, other],
      [other, one],
    ]) {
      const { body } = await world.graph(`{ activities(first: 1${made}) { pageInfo { endCursor } } }`);
      const { endCursor } = body.data.activities.pageInfo;
      const refused = await world.graph(`{ activities(after: "${endCursor}"${sent}) { totalCount } }`);
      expect(refused.body.errors).toMatchObject([
        { extensions: { code: 'VALIDATION', problems: [{ path: ['after'] }] } },
      ]);
    }
  });

  it('of an object take the same conditions', async () => {
    const text =
      '{ user(id: "member") { activities(where: { types: [USER_CREATED] }) { totalCount } } organization(id: "o1") { activities(where: { types: [DATASET_CREATED] }) { totalCount nodes { type } } } }';
    const { organization } = (await world.graph(text)).body.data;
    expect(organization.activities.totalCount).toBe(3);
    expect(organization.activities.nodes).toHaveLength(3);
  });

  it.each([
    ['types: []', 'types'],
    ['actor: "nobody"', 'actor'],
  ])('are refused with %s', async (where, field) => {
    expect((await world.graph(`{ activities(where: { ${where} }) { totalCount } }`)).body.errors).toMatchObject([
      { extensions: { code: 'VALIDATION', problems: [{ path: ['where', field] }] } },
    ]);
  });
});

describe('extreme values', () => {
  const TIMES = [
    '9999-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
    '1970-01-01T00:00:00Z',
  ];
  it.each([
    ...TIMES.flatMap((at) => [
      `datasets(where: { createdFrom: "${at}", createdTo: "${at}", modifiedFrom: "${at}", modifiedTo: "${at}" })`,
      `activities(where: { since: "${at}", until: "${at}" })`,
      `jobs(where: { since: "${at}", until: "${at}" })`,
      `changes(since: "${at}", until: "${at}")`,
    ]),
    'datasets(where: { type: "", license: "", tag: "" })',
    'resources(where: { name: "", hash: "", url: "\\\\", format: "_" })',
  ])('%s is answered or refused', async (list) => {
    const { body } = await world.graph(`{ ${list} { totalCount pageInfo { hasNextPage } } }`, {}, { as: boss });
    if (body.errors)
      expect(body.errors[0].extensions.code).toMatch(/^(VALIDATION|GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT)$/);
    else expect(Object.values<any>(body.data)[0].totalCount).toBeGreaterThanOrEqual(0);
  });

  const forged = (key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
  it.each([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0])(
    'a cursor with the number %d is accepted',
    async (n) => {
      const lists: Record<string, unknown[]> = {
        'datasets(orderBy: { field: CREATED }': ['CREATED DESC', n, 'x'],
        'users(orderBy: { field: CREATED }': ['CREATED DESC', n, 'x'],
        'organizations(orderBy: { field: DATASET_COUNT }': ['DATASET_COUNT DESC', n, 'x'],
        'activities(where: null': [n],
        'revisions(': [n, 'x'],
        'jobs(where: null': ['CREATED DESC', n, 'x'],
      };
      for (const [list, key] of Object.entries(lists))
        for (const argument of ['after', 'before']) {
          const text = `{ list: ${list} ${argument}: "${forged(key)}") { pageInfo { hasNextPage } } }`;
          const { body } = await world.graph(text, {}, { as: boss });
          if (body.errors) throw new Error(`${text} ${JSON.stringify(body.errors)}`);
        }
    },
  );
});
