/** Dead letters, secret rotation and pings of webhooks. */
import { describe, expect, it } from '@jest/globals';
import { signaturesBy } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { namesOf, type WebhookScene, withWebhooks } from '../helpers/webhooks.ts';
import { tenAtOnce } from '../helpers/writers.ts';

let { receiver, world, admin, graph, mutate, hook, update, show, settled, dataset } = {} as WebhookScene;
withWebhooks((scene) => {
  ({ receiver, world, admin, graph, mutate, hook, update, show, settled, dataset } = scene);
});

describe('dead letters', () => {
  const letters = async (id: string): Promise<any[]> => (await show(id)).deadLetters.nodes;
  const redeliver = (webhook: string, input: object) =>
    mutate('redeliverWebhook', { webhook, ...input }, 'webhook { databaseId }');

  async function withLetters(...names: string[]): Promise<{ id: string; ids: string[] }> {
    const { databaseId: id } = await hook({ types: ['DATASET'], batchSize: 1 });
    receiver.answer = () => ({ status: 500 });
    for (const name of names) await dataset(name);
    await settled(id);
    receiver.received.length = 0;
    return { id, ids: (await letters(id)).map(({ messageId }) => messageId) };
  }

  it('are redelivered by id or by time under their old ids, and removed once delivered', async () => {
    const { id, ids } = await withLetters('letter-0', 'letter-1', 'letter-2');
    receiver.answer = () => ({ status: 200 });
    await redeliver(id, { messages: [ids[1]] });
    await until(async () => (await letters(id)).length === 2);
    expect(receiver.received.map((message) => [message.id, namesOf([message])])).toEqual([[ids[1], ['letter-1']]]);
    expect((await letters(id)).map(({ messageId }) => messageId)).toEqual([ids[0], ids[2]]);
    await redeliver(id, { since: new Date(0).toISOString() });
    await until(async () => (await letters(id)).length === 0);
    expect(receiver.received.map((message) => message.id)).toEqual([ids[1], ids[0], ids[2]]);
  });

  it('stay when their redelivery fails, and do not block new messages', async () => {
    const { id, ids } = await withLetters('stays-0');
    await redeliver(id, { messages: ids });
    const [letter] = await until(async () => {
      const all = await letters(id);
      return all[0].attempts === 4 ? all : null;
    });
    expect(letter).toMatchObject({ messageId: ids[0], status: 500, isQueued: false });
    receiver.answer = () => ({ status: 200 });
    await dataset('new-one');
    await settled(id);
    expect(namesOf(receiver.taken())).toEqual(['new-one']);
  });

  it('are sent once more when a redelivery is requested during another one', async () => {
    const { id, ids } = await withLetters('asked-twice');
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 200 });
      await redeliver(id, { messages: ids });
      return { status: 500 };
    };
    await redeliver(id, { messages: ids });
    await until(async () => (await letters(id)).length === 0);
    expect(receiver.received.map((message) => [message.id, message.status])).toEqual([
      [ids[0], 500],
      [ids[0], 200],
    ]);
  });

  it('are sent once each when ten callers request them at once', async () => {
    const { id, ids } = await withLetters('ten-0', 'ten-1');
    receiver.answer = () => ({ status: 200 });
    await update(id, { paused: true });
    await tenAtOnce(world, (at) => redeliver(id, { messages: at % 2 ? ids : ids.toReversed() }));
    expect((await letters(id)).map(({ isQueued }) => isQueued)).toEqual([true, true]);
    await update(id, { paused: false });
    await until(async () => (await letters(id)).length === 0);
    expect(receiver.received.map((message) => message.id)).toEqual(ids);
  });

  it('stay when the receiver returns 410, and the webhook is disabled', async () => {
    const { id, ids } = await withLetters('gone-for-good');
    receiver.answer = () => ({ status: 410 });
    await redeliver(id, { messages: ids });
    const state = await until(async () => {
      const now = await show(id);
      return now.state === 'DISABLED' && now;
    });
    expect(state.stateReason).toContain('410');
    expect(state.deadLetters.nodes).toMatchObject([{ messageId: ids[0], attempts: 4, status: 410, isQueued: false }]);
  });

  it('get new ids when the filters change, and are sent within the batch size', async () => {
    const { databaseId: id } = await hook({ types: ['DATASET'], batchSize: 1 });
    receiver.answer = () => ({ status: 500 });
    await update(id, { paused: true });
    await world.result('group_create', { name: 'ponds' }, { as: admin });
    await dataset('beside-ponds');
    await update(id, { paused: false });
    const before = (await settled(id)).deadLetters.nodes[0].messageId;
    receiver.received.length = 0;
    receiver.answer = () => ({ status: 200 });
    await update(id, { types: ['DATASET', 'GROUP'] });
    expect((await letters(id))[0].messageId).not.toBe(before);
    await expect(redeliver(id, { messages: [before] })).rejects.toThrow('is not a dead letter of this webhook');
    await redeliver(id, { since: new Date(0).toISOString() });
    await until(async () => (await letters(id)).length === 0);
    const sent = receiver.received;
    expect(sent.every((message) => namesOf([message]).length === 1)).toBe(true);
    expect([...new Set(namesOf(sent))]).toEqual(['ponds', 'beside-ponds']);
    expect(new Set([before, ...sent.map((message) => message.id)]).size).toBe(1 + sent.length);
  });

  it('are removed without delivery if their owner may no longer read their changes', async () => {
    const { id, ids } = await withLetters('soon-hidden');
    await world.result(
      'package_patch',
      { id: 'soon-hidden', owner_org: (await world.make.organization()).id, private: true },
      { as: admin },
    );
    receiver.answer = () => ({ status: 200 });
    await settled(id);
    receiver.received.length = 0;
    await redeliver(id, { messages: ids });
    await until(async () => (await letters(id)).length === 0);
    expect(receiver.received).toEqual([]);
  });

  it.each([
    [{}, []],
    [{ messages: [], since: '2026-01-01T00:00:00Z' }, []],
    [{ messages: ['msg_0'] }, ['messages']],
    [{ messages: Array.from({ length: 101 }, () => 'x') }, ['messages']],
  ])('are not redelivered for the invalid input %j', async (input, path) => {
    const { databaseId } = await hook();
    const query = 'mutation ($input: RedeliverWebhookInput!) { redeliverWebhook(input: $input) { errors { path } } }';
    const { redeliverWebhook } = await graph(query, { input: { webhook: databaseId, ...input } });
    expect(redeliverWebhook.errors).toEqual([{ path }]);
  });
});

describe('secrets', () => {
  it('sign messages together while both are valid', async () => {
    const { databaseId, secret } = await hook({ types: ['DATASET'] });
    const rotate = async (overlap?: number): Promise<string> =>
      (await mutate('rotateWebhookSecret', { webhook: databaseId, overlap }, 'webhook { secret }')).webhook.secret;
    const next = async (name: string) => {
      receiver.received.length = 0;
      await dataset(name);
      await settled(databaseId);
      return receiver.received[0]!;
    };
    const second = await rotate();
    const signedTwice = await next('signed-twice');
    expect([secret, second].map((one) => signaturesBy(one, signedTwice))).toEqual([
      [false, true],
      [true, false],
    ]);
    const third = await rotate(0);
    const signedOnce = await next('signed-once');
    expect([secret, second, third].map((one) => signaturesBy(one, signedOnce))).toEqual([[false], [false], [true]]);
    await rotate(1);
    await world.database.db.webhook.update({
      where: { id: databaseId },
      data: { secretBeforeUntil: new Date(Date.now() - 1_000) },
    });
    expect(signaturesBy(third, await next('signed-later'))).toEqual([false]);
  });
});

describe('a ping', () => {
  const ping = async (webhook: string) =>
    (await mutate('pingWebhook', { webhook }, 'ping { messageId isTaken status error milliseconds }')).ping;

  it('is delivered signed, also for a paused webhook, and returns the result', async () => {
    const { databaseId, secret } = await hook();
    await update(databaseId, { paused: true });
    const went = await ping(databaseId);
    expect(went).toMatchObject({ isTaken: true, status: 204, error: null });
    expect(receiver.received).toMatchObject([
      { id: went.messageId, body: { type: 'ping', data: { webhook: databaseId } } },
    ]);
    expect(signaturesBy(secret, receiver.received[0]!)).toEqual([true]);
    receiver.answer = () => ({ status: 404 });
    expect(await ping(databaseId)).toMatchObject({ isTaken: false, status: 404, error: 'Response status 404' });
    expect(await show(databaseId)).toMatchObject({ state: 'PAUSED', lastStatus: null, failuresInARow: 0 });
  });
});
