/** Choice of the webhooks that are served next. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { endOfLog } from '../../src/feed/feed.service.ts';
import { anonymous } from '../../src/kernel/call.ts';
import { dueWebhooks } from '../../src/webhooks/delivery.sql.ts';
import { holdWebhook, releaseWebhook } from '../../src/webhooks/delivery.store.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

async function hook(as: TestUser): Promise<string> {
  const query = `mutation { createWebhook(input: { url: "https://example.com/" }) { webhook { databaseId } errors { message } } }`;
  return (await world.graph(query, {}, { as })).body.data.createWebhook.webhook.databaseId;
}

it('limits the webhooks of one user that a process serves at a time', async () => {
  const [many, few] = await Promise.all([world.make.user(), world.make.user()]);
  const ofMany = new Set<string>();
  for (let n = 0; n < 8; n += 1) ofMany.add(await hook(many));
  const other = await hook(few);
  await world.make.dataset({ name: 'told-of' });
  const { db, sql } = world.database;
  const last = await endOfLog(world.app.callAs(anonymous('test')));
  const due = (process = 'host 1') => dueWebhooks(sql, process, last, 100, 5);
  const first = await due();
  expect(first).toContain(other);
  const own = first.filter((id) => ofMany.has(id));
  expect([own.length, first.length]).toEqual([5, 6]);
  for (const id of own) expect(await holdWebhook(world.database, id, 'host 1 a', 60)).not.toBeNull();
  expect(await due()).toEqual([other]);
  expect(await due('host 12')).toHaveLength(4);
  await releaseWebhook(db, own[0]!, 'host 1 a');
  expect(await due()).toHaveLength(2);
});
