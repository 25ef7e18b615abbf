import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Ruling 22: past public states stay visible unchanged, and past private states stay hidden. */
let world: World;
const people: Record<string, TestUser | null> = { visitor: null };
const as = (name: string) => ({ as: people[name]! });

/** Marker in titles, names, notes and resources that were never public. */
const SECRET = 'undisclosed';

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  people.sysadmin = await world.make.sysadmin();
  for (const name of ['author', 'member', 'other', 'follower']) people[name] = await world.make.user({ name });
  const members = { [people.author!.id]: 'editor', [people.member!.id]: 'member' } as const;
  await world.make.organization({ name: 'office', members });
  await world.make.organization({ name: 'hidden-office', members });
  await world.make.group({ name: 'topic', members: { [people.author!.id]: 'admin' } });
  for (const [name, id] of [
    ['follow_group', 'office'],
    ['follow_group', 'topic'],
    ['follow_user', 'author'],
  ] as const)
    await world.result(name, { id }, as('follower'));
  const create = (params: object) =>
    world.result('package_create', { owner_org: 'office', groups: [{ name: 'topic' }], ...params }, as('author'));
  const patch = (params: object, who = 'author') => world.result('package_patch', { ...params }, as(who));
  const hidden = { title: SECRET, notes: SECRET, resources: [{ name: SECRET, url: `http://${SECRET}.example` }] };

  // Public, then deleted, and changed while deleted.
  await create({ name: 'gone', title: 'Gone', resources: [{ name: 'table', url: 'http://gone.example' }] });
  await world.result('follow_dataset', { id: 'gone' }, as('follower'));
  await patch({ id: 'gone', title: 'Gone soon' });
  await world.result('package_delete', { id: 'gone' }, as('author'));
  await patch({ id: 'gone', name: `gone-${SECRET}`, ...hidden });
  await create({ name: 'gone-at-once', title: 'Gone at once' });
  await patch({ id: 'gone-at-once', state: 'deleted', name: `gone-at-once-${SECRET}`, ...hidden });
  // Always private.
  await create({ name: `${SECRET}-private`, private: true, ...hidden });
  await world.result('package_delete', { id: `${SECRET}-private` }, as('author'));
  // Public, then private with changes: one gets another owner, and one becomes public again.
  await create({ name: 'veiled', title: 'Veiled' });
  await patch({ id: 'veiled', private: true, ...hidden });
  await patch({ id: 'veiled', owner_org: 'hidden-office', groups: [], notes: `${SECRET} twice` });
  await create({ name: 'returned', title: 'Returned' });
  await patch({ id: 'returned', private: true, ...hidden });
  await patch({ id: 'returned', private: false, title: 'Back', notes: '', resources: [] });
  // A draft that is deleted, and a draft that is published.
  await world.result(
    'package_create',
    { name: `${SECRET}-draft`, owner_org: 'office', groups: [{ name: 'topic' }], state: 'draft', ...hidden },
    as('sysadmin'),
  );
  await world.result('package_delete', { id: `${SECRET}-draft` }, as('sysadmin'));
  await world.result(
    'package_create',
    { name: 'draft-first', owner_org: 'office', groups: [{ name: 'topic' }], state: 'draft', ...hidden },
    as('sysadmin'),
  );
  const published = { state: 'active', title: 'Published', notes: '', resources: [] };
  await patch({ id: 'draft-first', ...published }, 'sysadmin');
  // An activity about a hidden dataset, written by the operator.
  await world.result(
    'activity_create',
    {
      user_id: people.author!.id,
      object_id: 'veiled',
      activity_type: 'changed package',
      data: { package: { title: SECRET } },
    },
    as('sysadmin'),
  );
}, 60_000);
afterAll(() => world.end());

const read = async (name: string, params: object, who: string) => {
  const answered = await world.action(name, { ...params }, { as: people[who] ?? null, get: true });
  return answered.body.success ? answered.body.result : answered.body.error;
};

/** Public activities, oldest first: [type, title at that time]. */
const PAST = [
  ['new package', 'Gone'],
  ['changed package', 'Gone soon'],
  ['deleted package', 'Gone soon'],
  ['new package', 'Gone at once'],
  ['deleted package', 'Gone at once'],
  ['new package', 'Veiled'],
  ['new package', 'Returned'],
  ['changed package', 'Back'],
  ['new package', 'Published'],
] as const;
const BY_AUTHOR = PAST.slice(0, -1);

const everybody = ['visitor', 'other', 'follower', 'member', 'author', 'sysadmin'] as const;
const outsiders = ['visitor', 'other', 'follower'] as const;
const STREAMS = [
  ['recently_changed_packages_activity_list', {}, PAST],
  ['user_activity_list', { id: 'author' }, BY_AUTHOR],
  ['group_activity_list', { id: 'topic' }, PAST],
  ['organization_activity_list', { id: 'office' }, PAST],
] as const;

describe.each(STREAMS)('%s', (name, params, expected) => {
  it.each(everybody)('shows past public states to %s', async (who) => {
    const list = await read(name, { ...params, limit: 100 }, who);
    const told = list
      .filter(({ activity_type }: any) => / package$/.test(activity_type))
      .map(({ activity_type, data }: any) => [activity_type, data.package.title])
      .reverse();
    expect(told.filter(([, title]: string[]) => title !== SECRET)).toEqual(expected);
    const html = await read(`${name}_html`, { ...params, limit: 100 }, who);
    for (const title of ['Gone soon', 'Veiled', 'Back']) expect(html).toContain(title);
  });

  it.each(outsiders)('hides past private states from %s', async (who) => {
    for (const form of [name, `${name}_html`])
      expect(JSON.stringify(await read(form, { ...params, limit: 100 }, who))).not.toContain(SECRET);
  });
});

describe('activity streams', () => {
  it.each(outsiders)('do not reveal the current organization of a hidden dataset to %s', async (who) => {
    expect(await read('organization_activity_list', { id: 'hidden-office' }, who)).toEqual([]);
  });

  it('show a hidden dataset to members of its current organization', async () => {
    const titles = (await read('organization_activity_list', { id: 'hidden-office' }, 'member')).map(
      ({ data }: any) => data.package.title,
    );
    expect(titles).toContain('Veiled');
  });

  it('show details as of the time of the activity', async () => {
    const list = await read('recently_changed_packages_activity_list', { limit: 100 }, 'visitor');
    for (const { id, activity_type, data } of list) {
      const details = await read('activity_detail_list', { id }, 'visitor');
      expect(details.length).toBeGreaterThan(0);
      expect(JSON.stringify(details)).not.toContain(SECRET);
      expect(await read('activity_detail_list', { id }, 'other')).toEqual(details);
      if (activity_type === 'deleted package')
        expect(data.package).toMatchObject({ state: 'deleted', name: expect.stringMatching(/^gone(-at-once)?$/) });
    }
  });

  it('of a hidden dataset are refused to users who may not read it', async () => {
    for (const id of [`gone-${SECRET}`, 'veiled'])
      expect(await read('package_activity_list', { id }, 'other')).toMatchObject({ __type: 'Authorization Error' });
    expect(await read('package_activity_list', { id: `gone-${SECRET}` }, 'author')).toHaveLength(3);
  });

  it('are the same in GraphQL', async () => {
    const { body } =
      await world.full(`{ activities(where: { types: [DATASET_CREATED, DATASET_CHANGED, DATASET_DELETED] }, first: 100) { totalCount nodes { type objectTitle fields object { __typename }
      details { title fields } } } }`);
    const { totalCount, nodes } = body.data.activities;
    expect(nodes.map(({ objectTitle }: any) => objectTitle).reverse()).toEqual(PAST.map(([, title]) => title));
    expect(totalCount).toBe(PAST.length);
    expect(JSON.stringify(nodes)).not.toContain(SECRET);
    expect(nodes.filter(({ object }: any) => object !== null)).toHaveLength(3);
  });
});

describe('a dashboard', () => {
  it('shows and counts only past public states for followers', async () => {
    const list = await read('dashboard_activity_list', { limit: 100 }, 'follower');
    expect(JSON.stringify(list)).not.toContain(SECRET);
    const told = list
      .filter(({ activity_type }: any) => / package$/.test(activity_type))
      .map(({ activity_type, data }: any) => [activity_type, data.package.title])
      .reverse();
    expect(told).toEqual(PAST);
    expect(list.every(({ is_new }: any) => is_new)).toBe(true);
    expect(await read('dashboard_new_activities_count', {}, 'follower')).toBe(list.length);
  });
});

describe('revisions', () => {
  const ids = (who: string) => read('revision_list', {}, who);

  it.each(outsiders)('of public states are listed for %s, and others are not', async (who) => {
    const shown = await Promise.all(
      (await ids(who)).map(async (id: string) => {
        const { packages, message } = await read('revision_show', { id }, who);
        expect(JSON.stringify([packages, message])).not.toContain(SECRET);
        return packages;
      }),
    );
    expect(shown.flat().reverse()).toEqual([
      'gone',
      'gone',
      'gone',
      'gone-at-once',
      'gone-at-once',
      'veiled',
      'returned',
      'returned',
      'draft-first',
    ]);
    const shownIds = new Set(await ids(who));
    expect((await ids('sysadmin')).filter((id: string) => !shownIds.has(id)).length).toBeGreaterThan(0);
  });

  it('all count in number_of_edits of their author', async () => {
    const { number_of_edits } = await read('user_show', { id: 'author' }, 'author');
    expect(number_of_edits).toBe(await world.database.db.revision.count({ where: { authorId: people.author!.id } }));
  });
});

describe('later changes', () => {
  const titles = async (name: string, id: string) =>
    (await read(name, { id, limit: 100 }, 'visitor')).map(({ data }: any) => data.package?.title);
  const create = (params: object) =>
    world.result('package_create', { owner_org: 'office', groups: [{ name: 'topic' }], ...params }, as('author'));

  it('a dataset that leaves a group and organization disappears from their streams', async () => {
    await create({ name: 'mover', title: 'Mover' });
    expect(await titles('group_activity_list', 'topic')).toContain('Mover');
    await world.result('package_patch', { id: 'mover', groups: [], owner_org: 'hidden-office' }, as('author'));
    expect(await titles('group_activity_list', 'topic')).not.toContain('Mover');
    expect(await titles('organization_activity_list', 'office')).not.toContain('Mover');
    await world.result('package_delete', { id: 'mover' }, as('author'));
    expect(await titles('group_activity_list', 'topic')).not.toContain('Mover');
    expect(await titles('organization_activity_list', 'hidden-office')).toContain('Mover');
  });

  it('an activity that the operator wrote stays in the streams when its dataset is deleted', async () => {
    await create({ name: 'noted', title: 'Noted' });
    const note = { object_id: 'noted', activity_type: 'changed package', data: { package: { title: 'By hand' } } };
    await world.result('activity_create', { user_id: people.author!.id, ...note }, as('sysadmin'));
    await world.result('package_delete', { id: 'noted' }, as('author'));
    expect(await titles('group_activity_list', 'topic')).toContain('By hand');
    expect(await titles('organization_activity_list', 'office')).toContain('By hand');
  });
});
