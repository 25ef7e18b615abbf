/** A receiver that never answers; the others are given all the time that a busy machine may need. */
import { expect, it } from '@jest/globals';
import { until } from '../helpers/until.ts';
import { type WebhookScene, withWebhooks } from '../helpers/webhooks.ts';

let scene: WebhookScene;
withWebhooks(
  (made) => {
    scene = made;
  },
  { 'catalog.webhooks.timeout': 1 },
);

it('has failed when its time is over', async () => {
  const { databaseId } = await scene.hook({ types: ['DATASET'] });
  scene.receiver.answer = () => null;
  await scene.dataset('unanswered');
  const state = await until(async () => {
    const now = await scene.show(databaseId);
    return now.failuresInARow > 0 && now;
  });
  expect(state).toMatchObject({ lastStatus: null, lastError: 'No response within 1 s', behind: expect.any(Number) });
});
