/**
 * Delivers a webhook: first requested redeliveries, then the log after its cursor, message by message. A message is
 * stored before it is sent, so that every retry, by any process, sends the same one under the same id.
 */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import { type ChangeLine, visibleAfter } from '../feed/messages.service.ts';
import { firstCursor } from '../feed/pruned.ts';
import { type Call, withSpan } from '../kernel/call.ts';
import { newId } from '../kernel/ids.ts';
import { Description } from '../kernel/trace.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { nextDeadLetter, type QueuedDeadLetter, storeFailedRetry } from './dead-letter.sql.ts';
import { deleteDeadLetter, replaceByRest } from './dead-letter.store.ts';
import { causesOf, giveUp, type HeldWebhook, type Message, tryAgain } from './delivery.sql.ts';
import { beginMessage, disableWebhook, holdWebhook, messageTaken, releaseWebhook, skipTo } from './delivery.store.ts';
import { type Message as SendableMessage, type Sent, send } from './send.ts';
import { isTurnOver, pauseAfter } from './webhook.rules.ts';
import { typesOf } from './webhook.service.ts';
import type { WebhookRecord } from './webhook.store.ts';

/** Calls of a dispatcher, and its traces; null without. */
export interface Serving {
  readonly newCall: () => Call;
  readonly tracer: Tracer | null;
}

interface Step {
  readonly call: Call;
  readonly tracer: Tracer | null;
}

const DELIVERY = new Description('webhook delivery', 'client');

/**
 * Sends a message. Its trace is linked to the requests that wrote the changes. The message has no `traceparent`: its receiver
 * is not part of the site, and would learn which deliveries belong together.
 */
async function sendTraced(
  { call, tracer }: Step,
  webhook: HeldWebhook,
  { after, until, ...message }: SendableMessage & { readonly after: number; readonly until: number },
  signal: AbortSignal,
): Promise<Sent> {
  const span = tracer?.work(DELIVERY, await causesOf(call.sql, after, until));
  if (!span) return send(call, webhook, message, signal);
  let hasFailed = true;
  try {
    const sent = await send(withSpan(call, span), webhook, message, signal);
    hasFailed = sent.error !== null;
    return sent;
  } finally {
    span.end(hasFailed);
  }
}

/** Seconds beyond the receiver's timeout for storing the result; then other processes may take the webhook. */
const MARGIN = 10;

/**
 * Delivers one webhook until no messages are left, one fails, or its turn is over. False if the webhook was taken, or
 * had no messages. `signal` aborts the current message, which the next process sends again.
 */
export async function serve(
  { newCall, tracer }: Serving,
  id: string,
  process: string,
  signal: AbortSignal,
  isStopping: () => boolean,
): Promise<boolean> {
  const holder = `${process} ${newId()}`;
  const hold = () => {
    const call = newCall();
    return holdWebhook(call, id, holder, call.settings['catalog.webhooks.timeout'] + MARGIN);
  };
  const begun = performance.now();
  let served = 0;
  const next = async () => (isTurnOver(served, performance.now() - begun) ? null : hold());
  try {
    for (let webhook = await hold(); webhook && !isStopping(); webhook = await next()) {
      if (!(await step({ call: newCall(), tracer }, webhook, signal))) break;
      served += 1;
    }
  } finally {
    await releaseWebhook(newCall().db, id, holder);
  }
  return served > 0;
}

/** Sends one message, if there is one; false if the webhook needs no further work now. */
async function step({ call, tracer }: Step, webhook: HeldWebhook, signal: AbortSignal): Promise<boolean> {
  const actor = await identifyUser(call, webhook.userId);
  if (!actor) return disabled(call, webhook, "The owner's account is not active");
  const asOwner = { ...call, actor };
  const deadLetter = await nextDeadLetter(call.sql, webhook.id);
  if (deadLetter) return sendDeadLetter({ call: asOwner, tracer }, webhook, deadLetter, signal);
  if (!webhook.isDue) return false;
  const { lines, end, isLost } = await visibleAfter(asOwner, partOf(webhook, webhook.cursor, webhook.messageEnd));
  if (isLost) return disabled(call, webhook, lossOf(await firstCursor(call.sql)));
  if (end === webhook.cursor) return false;
  if (lines.length === 0) {
    await skipTo(call.db, webhook, end);
    return AGAIN;
  }
  // If its owner may now read more changes than the message holds, the rest is another message.
  const isSame = end === webhook.messageEnd;
  const messageId = isSame ? webhook.messageId! : newMessageId();
  if (!isSame && !(await beginMessage(call.db, webhook, messageId, end))) return AGAIN;
  const part = { after: webhook.cursor, until: end };
  const sent = await sendTraced(
    { call, tracer },
    webhook,
    { id: messageId, body: bodyOf(webhook, lines), ...part },
    signal,
  );
  return settle(call, webhook, { messageId, changes: lines.length, end }, sent, isSame ? webhook.attempts + 1 : 1);
}

/** Reload the webhook: there may be more messages, or a concurrent change prevented the write. */
const AGAIN = true;

async function settle(
  call: Call,
  webhook: HeldWebhook,
  message: Message,
  sent: Sent,
  attempts: number,
): Promise<boolean> {
  const {
    db,
    sql,
    settings,
    process: { log, meter },
  } = call;
  if (sent.error === null) {
    meter.add('catalog_webhook_messages_total', ['delivered']);
    await messageTaken(db, webhook, message, sent.status!);
    return AGAIN;
  }
  log.debug({ webhook: webhook.id, status: sent.status }, 'webhook delivery attempt failed');
  const isGone = sent.status === GONE;
  const isLast = attempts >= settings['catalog.webhooks.attempts'] && !isGone;
  meter.add('catalog_webhook_messages_total', [isLast ? 'dead' : 'refused']);
  if (isLast) {
    await giveUp(sql, webhook, message, sent, settings['catalog.webhooks.dead_letters']);
    return AGAIN;
  }
  const pause = pauseAfter(attempts, settings['catalog.webhooks.pause'], sent.wished, Math.random());
  const isWritten = await tryAgain(sql, webhook, message, sent, isGone ? 0 : pause);
  return isGone ? disabled(call, webhook, IS_GONE) : !isWritten && AGAIN;
}

/** Status of a receiver that must not be called again. */
const GONE = 410;
const IS_GONE = 'The receiver responded with 410 Gone';
const lossOf = (cursor: string) =>
  `Undelivered changes were pruned from the log. Read the catalog again, then resume the webhook with updateWebhook(input: { paused: false, after: "${cursor}" })`;

async function disabled({ db, process: { log } }: Call, webhook: HeldWebhook, reason: string): Promise<false> {
  await disableWebhook(db, webhook, reason);
  log.warn({ webhook: webhook.id, reason }, 'webhook disabled');
  return false;
}

/**
 * One attempt; a failed one leaves the dead letter unchanged. A dead letter with more changes than a message may now
 * hold is sent in parts, each with its own message id.
 */
async function sendDeadLetter(
  { call, tracer }: Step,
  webhook: HeldWebhook,
  deadLetter: QueuedDeadLetter,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, sql } = call;
  const { lines, end, rest, isLost } = await visibleAfter(call, partOf(webhook, deadLetter.start, deadLetter.end));
  const isEmpty = lines.length === 0; // its owner may no longer read any of it
  const id = rest === 0 ? deadLetter.id : newMessageId();
  const sent = isLost
    ? LOST
    : isEmpty
      ? NOTHING
      : await sendTraced(
          { call, tracer },
          webhook,
          { id, body: bodyOf(webhook, lines), after: deadLetter.start, until: end },
          signal,
        );
  if (sent.error !== null) await storeFailedRetry(sql, deadLetter, sent.status, sent.error);
  else if (rest === 0) await deleteDeadLetter(db, deadLetter.id);
  else await replaceByRest(db, deadLetter.id, { id: newMessageId(), startPlace: end, changes: rest });
  return sent.status === GONE ? disabled(call, webhook, IS_GONE) : true;
}

const NOTHING: Sent = { status: null, error: null, wished: 0 };
const LOST: Sent = { status: null, error: 'The changes of the message were pruned from the log', wished: 0 };

const partOf = (webhook: WebhookRecord, after: number, until: number | null) => ({
  after,
  until,
  limit: webhook.batchSize,
  types: typesOf(webhook),
  organizationId: webhook.organizationId,
});

export const newMessageId = (): string => `msg_${newId().replaceAll('-', '')}`;

/** A message of changes; its time is that of the last change. */
const bodyOf = ({ id }: WebhookRecord, changes: readonly ChangeLine[]): string =>
  JSON.stringify({ type: 'changes', timestamp: changes.at(-1)!.at, data: { webhook: id, changes } });
