/** Ten concurrent writers of one object: every write counts, and callers never get a database error. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { TEN, tenAtOnce } from '../helpers/writers.ts';

let world: World;
let admin: TestUser;
let users: TestUser[];

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  users = [];
  for (const _ of TEN) users.push(await world.make.user());
});
afterAll(() => world.end());

const call = (name: string, params: object, as = admin) =>
  world.result(name, params as Record<string, unknown>, { as });
const ten = (name: string, paramsOf: (at: number) => object, asOf = (_at: number) => admin) =>
  tenAtOnce(world, (at) => call(name, paramsOf(at), asOf(at)));
const count = async (table: string): Promise<number> =>
  (await world.database.sql.rows<{ n: number }>({ text: `SELECT count(*)::int AS n FROM ${table}` }))[0]!.n;

it('concurrent writes to one vocabulary are all applied, and each increments its version', async () => {
  const { id } = await call('vocabulary_create', { name: 'colours' });
  await ten('tag_create', (at) => ({ name: `colour ${at}`, vocabulary_id: id }));
  expect((await call('vocabulary_show', { id })).tags).toHaveLength(10);
  expect(await count(`vocabulary WHERE id = '${id}' AND version = 11`)).toBe(1);
  await ten('vocabulary_update', (at) => ({ id, name: 'colours', tags: [{ name: `only ${at}` }] }));
  expect((await call('vocabulary_show', { id })).tags).toHaveLength(1);
  expect(await count(`vocabulary WHERE id = '${id}' AND version = 21`)).toBe(1);
});

it('concurrent ratings are stored once per user', async () => {
  const { id } = await world.make.dataset();
  await ten(
    'rating_create',
    (at) => ({ package: id, rating: (at % 5) + 1 }),
    (at) => users[at]!,
  );
  await ten('rating_create', (at) => ({ package: id, rating: (at % 5) + 1 }));
  expect(await count(`rating WHERE dataset_id = '${id}'`)).toBe(11);
  const made = `change WHERE object_type = 'rating' AND object_id = '${id}' AND action =`;
  expect([await count(`${made} 'created'`), await count(`${made} 'updated'`)]).toEqual([11, 9]);
});

it('concurrent updates of different fields of one task status keep all fields', async () => {
  const key = { entity_id: 'e', entity_type: 'job', task_type: 't', key: 'k' };
  const fields = ['value', 'state', 'error'];
  const written = await ten('task_status_update', (at) => ({ ...key, [fields[at % 3]!]: 'here' }));
  expect(new Set(written.map(({ id }) => id)).size).toBe(1);
  expect(await call('task_status_show', key)).toMatchObject({ value: 'here', state: 'here', error: 'here' });
});

it('concurrent writes of the same translations in different orders store each once', async () => {
  const terms = TEN.map((at) => ({ term: `t${at}`, term_translation: 'x', lang_code: 'de' }));
  await ten('term_translation_update_many', (at) => ({ data: [...terms.slice(at), ...terms.slice(0, at)] }));
  expect(await count('term_translation')).toBe(10);
});

it('concurrent writes of options in different orders leave the values of one writer', async () => {
  const names = ['ckan.site_title', 'ckan.site_about', 'ckan.site_intro_text'];
  await ten('config_option_update', (at) =>
    Object.fromEntries((at % 2 ? names : [...names].reverse()).map((name) => [name, `by ${at}`])),
  );
  const values = await world.database.sql.rows<{ value: string }>({ text: 'SELECT DISTINCT value FROM site_option' });
  expect(values).toEqual([{ value: expect.stringMatching(/^by \d$/) }]);
  expect(await count('site_option')).toBe(3);
});

it('concurrent updates of one related item all succeed, but only one of those with an expected version', async () => {
  const { id } = await call('related_create', { title: 'App', type: 'application' });
  const patch = (at: number) =>
    world.graph(
      `mutation ($input: UpdateRelatedItemInput!) { updateRelatedItem(input: $input) { errors { code } } }`,
      { input: { id, title: `by ${at}`, expectedVersion: 1 } },
      { as: admin },
    );
  const codes = (await tenAtOnce(world, patch)).map(({ body }) => body.data.updateRelatedItem.errors[0]?.code);
  expect(codes.filter((code) => code === undefined)).toHaveLength(1);
  expect(codes.filter((code) => code === 'CONFLICT')).toHaveLength(9);
  await ten('related_update', (at) => ({ id, title: `by ${at}`, type: 'application' }));
  expect(await count(`related_item WHERE id = '${id}' AND version = 12`)).toBe(1);
});

it('concurrently created views of one resource have distinct positions', async () => {
  const { body } = await world.make.dataset({ resources: [{ url: 'http://x/a', format: 'pdf' }] });
  const resource_id = body.resources[0]!.id;
  const made = await ten('resource_view_create', (at) => ({ resource_id, title: `V${at}`, view_type: 'image_view' }));
  const positions = `SELECT array_agg(position ORDER BY position) AS found FROM resource_view WHERE resource_id = $1`;
  expect(await world.database.sql.rows({ text: positions }, [resource_id])).toEqual([{ found: TEN }]);
  await ten('resource_view_update', (at) => ({ id: made[at]!.id, title: `W${at}` }));
  expect(await count(`resource_view WHERE resource_id = '${resource_id}' AND version = 2`)).toBe(10);
});

it('concurrent invitations to one organization add ten pending members and ten versions', async () => {
  const { id } = await world.make.organization();
  const invited = await ten('user_invite', (at) => ({ email: `g${at}@example.org`, group_id: id, role: 'editor' }));
  const members: [string, string, string][] = await call('member_list', { id, object_type: 'user' });
  expect(members.map(([user]) => user).sort()).toEqual(invited.map((user) => user.id).sort());
  expect(invited.map(({ state }) => state)).toEqual(TEN.map(() => 'pending'));
  expect(await count(`group_account WHERE id = '${id}' AND version = 11`)).toBe(1);
});

it('concurrent writes of one membership leave one row, and one version per recorded change', async () => {
  const { id } = await world.make.group();
  const roles = ['admin', 'editor', 'member'];
  await ten('member_create', (at) => ({ id, object: users[0]!.id, object_type: 'user', capacity: roles[at % 3] }));
  expect(await count(`membership WHERE group_id = '${id}'`)).toBe(1);
  const changes = `change WHERE object_type = 'group' AND object_id = '${id}'`;
  expect(await count(`group_account WHERE id = '${id}' AND version = 1 + (SELECT count(*) FROM ${changes})`)).toBe(1);
});

it('concurrent marks of one dashboard as seen leave one mark, which never moves back', async () => {
  const user = users[0]!;
  const { id } = await world.make.dataset();
  await call('follow_dataset', { id }, user);
  await ten(
    'dashboard_mark_activities_old',
    () => ({}),
    () => user,
  );
  expect(await count(`dashboard WHERE user_id = '${user.id}'`)).toBe(1);
  for (const at of TEN) await call('package_patch', { id, title: `Title ${at}` });
  const news: { id: string }[] = await call('dashboard_activity_list', { limit: 10 }, user);
  const mark = 'mutation ($input: MarkDashboardSeenInput!) { markDashboardSeen(input: $input) { errors { code } } }';
  const marks = await tenAtOnce(world, (at) =>
    world.graph(mark, { input: { activityId: news[at]!.id } }, { as: user }),
  );
  for (const { body } of marks) expect(body.data.markDashboardSeen.errors).toEqual([]);
  expect(await call('dashboard_new_activities_count', {}, user)).toBe(0);
});

it('concurrent removals of a dataset from a group are recorded once', async () => {
  const group = await world.make.group();
  const { id: object } = await world.make.dataset();
  const member = { id: group.id, object, object_type: 'package' };
  await call('member_create', { ...member, capacity: 'public' });
  const changes = `change WHERE object_type = 'group' AND object_id = '${group.id}'`;
  const before = await count(changes);
  await ten('member_delete', () => member);
  expect(await count(changes)).toBe(before + 1);
  expect(await count(`dataset_group WHERE dataset_id = '${object}'`)).toBe(0);
});
