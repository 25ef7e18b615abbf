/** A receiver that never responds, in a world with a short timeout. Other tests have a long one for busy machines. */
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

it('counts a delivery as failed after the timeout', async () => {
  const { databaseId } = await scene.hook({ types: ['DATASET'] });
  scene.receiver.answer = () => null;
  await scene.dataset('unanswered');
  const state = await until(async () => {
    const now = await scene.show(databaseId);
    return now.failuresInARow > 0 && now;
  });
  expect(state).toMatchObject({ lastStatus: null, lastError: 'No response within 1 s', behind: expect.any(Number) });
});
