/** Pings: messages without changes that test a webhook. */
import type { Call } from '../kernel/call.ts';
import { newMessageId } from './delivery.service.ts';
import { send } from './send.ts';
import { webhookShow } from './webhook.service.ts';

export interface PingRecord {
  readonly messageId: string;
  readonly isTaken: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly milliseconds: number;
}

/** Sends a ping at once, with the usual timeout. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function webhookPing(call: Call, { webhook: id }: { webhook: string }): Promise<PingRecord> {
  const webhook = await webhookShow(call, id);
  const messageId = newMessageId();
  const body = JSON.stringify({ type: 'ping', timestamp: call.request.now, data: { webhook: id } });
  const begun = performance.now();
  const never = new AbortController().signal;
  const { status, error } = await send(call, webhook, { id: messageId, body }, never);
  const milliseconds = Math.round(performance.now() - begun);
  return { messageId, isTaken: error === null, status, error, milliseconds };
}
