/** The live feed while readers connect and disconnect, and while readers lose permissions. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { identifyUser } from '../../src/accounts/identity/identity.service.ts';
import { changeConnection } from '../../src/feed/feed.service.ts';
import { createLiveFeed } from '../../src/feed/follower.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import { anonymous, type Call } from '../../src/kernel/call.ts';
import type { LoggedChange } from '../../src/kernel/feed.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

const nobody = () => world.app.callAs(anonymous('192.0.2.1'));
const signals = () => {
  let go = () => {};
  const came = new Promise<void>((resolve) => (go = resolve));
  return { came, go };
};

it('a reader who subscribes while the log is polled for others receives new changes', async () => {
  await world.make.dataset({ name: 'before-all' });
  const [held, released] = [signals(), signals()];
  let isHeld = false;
  const sql: Sql = {
    async rows(statement, values) {
      const rows = await nobody().sql.rows<any>(statement, values);
      if (isHeld && statement.name === 'feed_ends') {
        isHeld = false;
        held.go();
        await released.came;
      }
      return rows;
    },
  };
  const failures: unknown[] = [];
  const feed = createLiveFeed({
    call: (): Call => ({ ...nobody(), sql }),
    notify: () => {},
    onFailure: (failure) => failures.push(failure),
  });
  const [first, second] = [new AbortController(), new AbortController()];
  await feed.follow({ caller: 'first', after: null, signal: first.signal });
  isHeld = true;
  const looking = feed.heard();
  await held.came; // it has read the end of the log, and waits from here on
  first.abort();
  await world.make.dataset({ name: 'meanwhile' });
  const following = feed.follow({ caller: 'second', after: null, signal: second.signal });
  const next = following.then((stream) => stream.next());
  await new Promise((resolve) => setTimeout(resolve, 300)); // gives the second reader time to get there
  released.go();
  await looking;
  await following;
  const { id } = await world.make.dataset({ name: 'after-that' });
  await feed.heard();
  const { value } = await next;
  expect(value?.block.changes.map((change: LoggedChange) => change.objectId)).toContain(id);
  expect(failures).toEqual([]);
  second.abort();
  feed.stop();
});

it.each([
  ['to leave an organization', 'organization_member_delete'],
  ['to go', 'user_delete'],
])('a waiting reader who has %s sees no more private datasets', async (_what, action) => {
  const member = await world.make.user();
  const office = await world.make.organization({ members: { [member.id]: 'member' } });
  const admin = await world.make.sysadmin();
  const wait = async (name: string, meanwhile: () => Promise<unknown>) => {
    const actor = (await identifyUser(nobody(), member.id))!;
    const { pageInfo } = await changeConnection(nobody(), { first: 1_000 });
    const begun = signals();
    const call = world.app.callAs(actor);
    const follow: Call['process']['feed']['follow'] = async (asked) => {
      const blocks = await call.process.feed.follow(asked);
      begun.go();
      return blocks;
    };
    const waiting = changeConnection(
      { ...call, process: { ...call.process, feed: { ...call.process.feed, follow } } },
      { first: 10, after: pageInfo.endCursor, types: ['DATASET'], wait: 50 },
    );
    await begun.came;
    await meanwhile();
    await world.make.dataset({ name, ownerOrganization: office.id, private: true });
    const { nodes, pageInfo: found } = (await waiting) as any;
    return { nodes, isSame: found.endCursor === pageInfo.endCursor };
  };
  const name = world.id();
  expect((await wait(`told-${name}`, async () => {})).nodes).toMatchObject([{ name: `told-${name}` }]);
  const params = action === 'user_delete' ? { id: member.name } : { id: office.name, username: member.name };
  expect(await wait(`hidden-${name}`, () => world.result(action, params, { as: admin }))).toEqual({
    nodes: [],
    isSame: true,
  });
});
