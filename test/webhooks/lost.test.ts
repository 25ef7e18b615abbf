/** Webhooks whose cursor is older than the log: they are disabled with a reason instead of skipping changes. */
import { expect, it } from '@jest/globals';
import { until } from '../helpers/until.ts';
import { namesOf, type WebhookScene, withWebhooks } from '../helpers/webhooks.ts';

let scene: WebhookScene;
withWebhooks((made) => {
  scene = made;
});

const paused = async (input: object): Promise<string> => {
  const { databaseId } = await scene.hook(input);
  await scene.update(databaseId, { paused: true });
  return databaseId;
};
/** Prunes all changes before the first change of a dataset, or the whole log if no dataset is given. */
async function empty(before?: string): Promise<void> {
  await scene.graph('{ changes(first: 1) { pageInfo { endCursor } } }'); // gives each change its position
  const kept = `SELECT min(c.position) FROM change c JOIN dataset d ON d.id = c.object_id WHERE d.name = $1`;
  await scene.world.database.pool.query(
    before === undefined ? 'DELETE FROM change' : `DELETE FROM change WHERE position < (${kept})`,
    before === undefined ? [] : [before],
  );
}
/** Resumes a webhook, waits until it is disabled, and resumes it at the cursor in its reason. */
async function goOn(id: string): Promise<void> {
  await scene.update(id, { paused: false });
  const { stateReason } = await until(async () => {
    const now = await scene.show(id);
    return now.state === 'DISABLED' && now;
  });
  expect(stateReason).toMatch(/pruned from the log.*paused: false, after: "/);
  await scene.update(id, { paused: false, after: /after: "([^"]+)"/.exec(stateReason)![1] });
  await scene.settled(id);
}

it('disables all webhooks with a pruned cursor, also those without matching changes', async () => {
  const [told, idle] = [await paused({ types: ['DATASET'] }), await paused({ types: ['VOCABULARY'] })];
  for (const name of ['lost-0', 'lost-1', 'kept-0', 'kept-1']) await scene.dataset(name);
  await empty('kept-0');
  await goOn(told);
  await goOn(idle);
  expect(namesOf(scene.receiver.received)).toEqual(['kept-0', 'kept-1']);
});

it('sends the rest of a partly pruned message under a new id', async () => {
  const { databaseId } = await scene.hook({ types: ['DATASET'] });
  await scene.update(databaseId, { paused: true });
  for (const name of ['tried-lost', 'tried-kept']) await scene.dataset(name);
  scene.receiver.answer = async () => {
    await scene.update(databaseId, { paused: true });
    return { status: 500 };
  };
  await scene.update(databaseId, { paused: false });
  await until(async () => (await scene.show(databaseId)).lastStatus === 500);
  scene.receiver.answer = () => ({ status: 204 });
  await empty('tried-kept');
  await goOn(databaseId);
  expect(scene.receiver.received.map((message) => namesOf([message]))).toEqual([
    ['tried-lost', 'tried-kept'],
    ['tried-kept'],
  ]);
  expect(new Set(scene.receiver.received.map(({ id }) => id)).size).toBe(2);
});

it('does not redeliver a dead letter whose changes were pruned, and stores the reason', async () => {
  const { databaseId } = await scene.hook({ types: ['DATASET'] });
  scene.receiver.answer = () => ({ status: 500 });
  await scene.dataset('letter-lost');
  const [{ messageId }] = (await scene.settled(databaseId)).deadLetters.nodes;
  scene.receiver.received.length = 0;
  scene.receiver.answer = () => ({ status: 204 });
  await scene.dataset('letter-kept');
  await scene.settled(databaseId);
  await empty('letter-kept');
  const redelivered = { webhook: databaseId, messages: [messageId] };
  await scene.mutate('redeliverWebhook', redelivered, 'webhook { state }');
  const [letter] = await until(async () => {
    const { nodes } = (await scene.show(databaseId)).deadLetters;
    return nodes[0].attempts === 4 && nodes;
  });
  expect(letter).toMatchObject({
    messageId,
    status: null,
    error: 'The changes of the message were pruned from the log',
  });
  expect(namesOf(scene.receiver.received)).toEqual(['letter-kept']);
});

it('continues after the whole log was pruned', async () => {
  const id = await paused({ types: ['DATASET'] });
  await empty();
  await goOn(id);
  await scene.dataset('begun-anew');
  await scene.settled(id);
  expect(namesOf(scene.receiver.received)).toEqual(['begun-anew']);
});
