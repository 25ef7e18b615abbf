import { expect, it } from '@jest/globals';
import { type Actor, anonymous } from '../../../src/kernel/call.ts';
import { mayCreateWebhook, mayManageWebhook, mayUseWebhooks } from '../../../src/webhooks/webhook.policy.ts';

const nobody = anonymous('192.0.2.1');
const ann: Actor = { ...nobody, userId: 'ann', name: 'ann' };
const CAST: Readonly<Record<string, Actor>> = {
  nobody,
  ann,
  bob: { ...nobody, userId: 'bob', name: 'bob' },
  boss: { ...nobody, userId: 'boss', name: 'boss', sysadmin: true },
  operator: { ...nobody, sysadmin: true },
  'a reading token of ann': { ...ann, limitedTo: 'read' },
  'a writing token of ann': { ...ann, limitedTo: 'write' },
};

it.each<[string, (actor: Actor) => string | null, string[]]>([
  ['uses webhooks', mayUseWebhooks, ['ann', 'bob', 'boss', 'operator']],
  ['makes webhooks', mayCreateWebhook, ['ann', 'bob', 'boss']],
  ['manages those of ann', (actor) => mayManageWebhook(actor, 'ann'), ['ann', 'boss', 'operator']],
])('lists each actor that %s', (_what, policy, expected) => {
  expect(Object.keys(CAST).filter((name) => policy(CAST[name]!) === null)).toEqual(expected);
});
