/** Cached results for visitors: they show every write and reveal no hidden dataset. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let member: TestUser;
/** The database connection of another process, which shares no cache with the server. */
let other: ReturnType<typeof openDatabase>;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  member = await world.make.user({ name: 'member' });
  await world.make.group({ name: 'topic' });
  other = openDatabase({ url: world.database.url, max: 1 });
});
afterAll(async () => {
  await other.close();
  await world.end();
});

describe('a cached result', () => {
  const show = (as: TestUser | null = null) =>
    world.result('organization_show', { id: 'steady', include_followers: true }, { as });
  let follower: TestUser;
  beforeAll(async () => {
    follower = await world.make.user({ name: 'follower' });
    await world.make.organization({ name: 'steady' });
    await world.make.organization({ name: 'parent' });
    await world.make.dataset({ name: 'steady-1', ownerOrganization: 'steady' });
  });

  const countOf = async (work: () => Promise<unknown>) => (await world.statementsOf(work)).length;
  /** Repeats a request without a pause, because other tests commit on the same server from time to time. */
  const untilOneStatement = (work: () => Promise<unknown>) =>
    until(async () => {
      for (let time = 0; time < 3; time += 1) await work();
      return (await countOf(work)) === 1;
    });
  const untilCachedResult = () => untilOneStatement(() => show());

  it('takes one statement for visitors, and is not used for signed-in users', async () => {
    await untilCachedResult();
    for (let time = 0; time < 4; time += 1) expect(await countOf(() => show(follower))).toBeGreaterThan(4);
    await untilOneStatement(() => world.result('current_package_list_with_resources', { limit: 2 }));
  });

  it('is not looked up for a long request', async () => {
    const asksState = async (length: number) => {
      const find = () => world.action('organization_show', { id: 'n'.repeat(length) });
      for (let time = 0; time < 3; time += 1) await find();
      return (await world.statementsOf(find)).some((text) => text.includes('pg_current_snapshot'));
    };
    expect([await asksState(100), await asksState(400)]).toEqual([true, false]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a title', () => world.result('organization_patch', { id: 'steady', title: 'Kept' }, { as: admin })],
    [
      'a member',
      () =>
        world.result('organization_member_create', { id: 'steady', username: 'member', role: 'editor' }, { as: admin }),
    ],
    ['the name of a member', () => world.result('user_patch', { id: member.id, fullname: 'Another' }, { as: admin })],
    ['a follower', () => world.result('follow_group', { id: 'steady' }, { as: follower })],
    [
      'an extra field',
      () => world.result('organization_patch', { id: 'steady', extras: [{ key: 'a', value: 'b' }] }, { as: admin }),
    ],
    [
      'a parent',
      () => world.result('organization_patch', { id: 'steady', groups: [{ name: 'parent' }] }, { as: admin }),
    ],
    ['a dataset', () => world.make.dataset({ name: 'steady-2', ownerOrganization: 'steady' })],
    ['a hidden dataset', () => world.result('package_patch', { id: 'steady-2', private: true }, { as: admin })],
    [
      'a row that another program wrote',
      () => other.pool.query(`UPDATE group_account SET description = 'by SQL' WHERE name = 'steady'`),
    ],
  ])('is not shown after a write of %s', async (_what, write) => {
    await untilCachedResult();
    const before = await show();
    await write();
    const after = await show();
    expect(after).not.toEqual(before);
    expect(after).toEqual(await show(follower));
    for (let time = 0; time < 3; time += 1) expect(await show()).toEqual(after);
  });

  it('of an activity stream shows every write, and no hidden dataset', async () => {
    await world.make.dataset({ name: 'stream-1', ownerOrganization: 'steady', groups: [{ name: 'topic' }] });
    const hidden = await world.make.dataset({ name: 'stream-2', ownerOrganization: 'steady', private: true });
    const streams: [string, Record<string, unknown>][] = [
      ['package_activity_list', { id: 'stream-1' }],
      ['organization_activity_list', { id: 'steady' }],
      ['group_activity_list', { id: 'topic' }],
      ['user_activity_list', { id: admin.id }],
      ['recently_changed_packages_activity_list', {}],
    ];
    for (const [name, params] of streams) {
      const read = (as: TestUser | null = null) => world.result(name, params, { as });
      await untilOneStatement(() => read());
      const before = await read();
      expect(before).toEqual(await read(follower));
      await world.result('package_patch', { id: 'stream-1', notes: name }, { as: admin });
      await world.result('package_patch', { id: 'stream-2', notes: name }, { as: admin });
      for (let time = 0; time < 4; time += 1) {
        const after = await read();
        expect(after[0].data.package.notes).toBe(name);
        expect(after.length === before.length + 1 || after.length === 31).toBe(true);
        expect(after.some(({ object_id }: { object_id: string }) => object_id === hidden.body.id)).toBe(false);
        expect(after).toEqual(await read(follower));
      }
    }
  });

  it('differs by request parameters', async () => {
    for (let time = 0; time < 4; time += 1) {
      const [with_, without] = [
        await show(),
        await world.result('organization_show', { id: 'steady', include_followers: false }),
      ];
      expect([with_.num_followers, without.num_followers]).toEqual([1, 0]);
      for (const kind of ['organization', 'group'])
        for (const include_tags of [true, false, true, true, false, false]) {
          const params = { id: kind === 'group' ? 'topic' : 'steady', include_tags };
          const { tags, ...shown } = await world.result(`${kind}_show`, params);
          expect(tags === undefined).toBe(!include_tags);
          expect(shown).toEqual(
            (({ tags: _, ...rest }) => rest)(await world.result(`${kind}_show`, params, { as: follower })),
          );
        }
      expect((await world.result('organization_show', { id: 'steady', include_users: false })).users).toBeUndefined();
    }
  });
});
