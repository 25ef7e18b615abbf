/**
 * Sends what a webhook has to tell: first what was asked for again, then the log behind its cursor, message by message. A message is
 * written down before it is sent, so that it is the same one, under the same id, whoever sends it again.
 */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import { type ChangeLine, toldBehind } from '../feed/told.service.ts';
import type { Call } from '../kernel/call.ts';
import { newId } from '../kernel/ids.ts';
import {
  beginMessage,
  disableWebhook,
  giveUp,
  type HeldWebhook,
  holdWebhook,
  messageTaken,
  releaseWebhook,
  skipTo,
  tryAgain,
} from './delivery.store.ts';
import { deleteLetter, keepLetter, type LetterRecord, nextLetter } from './letter.store.ts';
import { type Sent, send } from './send.ts';
import { isTurnOver, pauseAfter } from './webhook.rules.ts';
import { typesOf } from './webhook.service.ts';
import type { WebhookRecord } from './webhook.store.ts';

/** Seconds beyond the receiver's time that a process has to write down what came of a message; then others may take the webhook. */
const MARGIN = 10;

/**
 * Serves one webhook until nothing is left, something fails, or others have waited long enough. False where it was not to be had, or had
 * nothing to send. `signal` ends it in the middle of a message, which is then sent again by whoever comes next.
 */
export async function serve(
  newCall: () => Call,
  id: string,
  process: string,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<boolean> {
  const holder = `${process} ${newId()}`;
  const hold = () => {
    const { sql, settings } = newCall();
    return holdWebhook(sql, id, holder, settings['catalog.webhooks.timeout'] + MARGIN);
  };
  const begun = performance.now();
  let served = 0;
  const next = async () => (isTurnOver(served, performance.now() - begun) ? null : hold());
  try {
    for (let webhook = await hold(); webhook && !isStopping(); webhook = await next()) {
      if (!(await step(newCall(), webhook, signal))) break;
      served += 1;
    }
  } finally {
    await releaseWebhook(newCall().sql, id, holder);
  }
  return served > 0;
}

/** One message, if there is one; false where nothing more is to be done now. */
async function step(call: Call, webhook: HeldWebhook, signal: AbortSignal): Promise<boolean> {
  const actor = await identifyUser(call, webhook.userId);
  if (!actor) return disabled(call, webhook, 'The account of its owner is not active');
  const asOwner = { ...call, actor };
  const letter = await nextLetter(call.sql, webhook.id);
  if (letter) return sendLetter(asOwner, webhook, letter, signal);
  if (!webhook.isDue) return false;
  const { lines, end } = await toldBehind(asOwner, partOf(webhook, webhook.cursor, webhook.messageEnd));
  if (end === webhook.cursor) return false;
  if (lines.length === 0) return skipTo(call.sql, webhook, end);
  const messageId = webhook.messageId ?? newMessageId();
  if (webhook.messageId === null && !(await beginMessage(call.sql, webhook, messageId, end))) return false;
  const sent = await send(call, webhook, { id: messageId, body: bodyOf(webhook, lines) }, signal);
  return settle(call, webhook, sent, lines.length, end);
}

async function settle(call: Call, webhook: HeldWebhook, sent: Sent, changes: number, end: number): Promise<boolean> {
  const { sql, settings, log } = call;
  if (sent.error === null) return messageTaken(sql, webhook, end, sent.status!);
  log.info({ webhook: webhook.id, status: sent.status }, 'a webhook was not taken');
  const attempts = webhook.attempts + 1;
  const isGone = sent.status === GONE;
  if (attempts >= settings['catalog.webhooks.attempts'] && !isGone)
    return giveUp(sql, webhook, sent, changes, settings['catalog.webhooks.dead_letters']);
  const pause = pauseAfter(attempts, settings['catalog.webhooks.pause'], sent.wished, Math.random());
  await tryAgain(sql, webhook, sent, isGone ? 0 : pause);
  return isGone ? disabled(call, webhook, 'The receiver answered 410: it is gone for good') : false;
}

/** What a receiver answers that shall not be asked again. */
const GONE = 410;

async function disabled({ sql, log }: Call, webhook: HeldWebhook, reason: string): Promise<false> {
  await disableWebhook(sql, webhook, reason);
  log.warn({ webhook: webhook.id, reason }, 'a webhook was disabled');
  return false;
}

/** One try: where it fails, the letter stays where it was. */
async function sendLetter(call: Call, webhook: HeldWebhook, letter: LetterRecord, signal: AbortSignal): Promise<true> {
  const { lines } = await toldBehind(call, partOf(webhook, letter.start, letter.end));
  const isEmpty = lines.length === 0; // its owner may not read any of it any more
  const sent = isEmpty ? NOTHING : await send(call, webhook, { id: letter.id, body: bodyOf(webhook, lines) }, signal);
  if (sent.error === null) await deleteLetter(call.sql, letter.id);
  else await keepLetter(call.sql, letter.id, sent.status, sent.error);
  return true;
}

const NOTHING: Sent = { status: null, error: null, wished: 0 };

const partOf = (webhook: WebhookRecord, after: number, until: number | null) => ({
  after,
  until,
  limit: webhook.batchSize,
  types: typesOf(webhook),
  organizationId: webhook.organizationId,
});

export const newMessageId = (): string => `msg_${newId().replaceAll('-', '')}`;

/** A message of changes; its time is that of the last of them. */
const bodyOf = ({ id }: WebhookRecord, changes: readonly ChangeLine[]): string =>
  JSON.stringify({ type: 'changes', timestamp: changes.at(-1)!.at, data: { webhook: id, changes } });
