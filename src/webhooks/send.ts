/** Sends one message and returns the outcome. Only the status of the response is used. */

import { PrivateAddress, request } from '../infra/http/client.ts';
import type { Call } from '../kernel/call.ts';
import { version } from '../kernel/version.ts';
import type { Answer } from './delivery.sql.ts';
import { signedHeaders } from './signature.ts';
import { addressFault, isAllowedHost } from './webhook.rules.ts';
import { previousSecretUntil } from './webhook.service.ts';
import type { WebhookRecord } from './webhook.store.ts';

export interface Message {
  readonly id: string;
  readonly body: string;
}

export interface Sent extends Answer {
  /** Seconds of the response's Retry-After; 0 without it. */
  readonly wished: number;
}

/** Maximum bytes of a response that are read so that its connection can be reused. */
const MAX_ANSWER_BYTES = 16 * 2 ** 10;

/** Never throws for a failure of the receiver. @throws the signal's reason after an abort */
export async function send(call: Call, webhook: WebhookRecord, message: Message, signal: AbortSignal): Promise<Sent> {
  const {
    settings,
    secrets: { secretBox },
  } = call;
  const allowedHosts = settings['catalog.webhooks.allowed_hosts'];
  const fault = addressFault(webhook.url, allowedHosts);
  if (fault) return failed(`The URL is refused: ${fault}`);
  const secrets = secretsOf(webhook, call.request.now).map(secretBox.open);
  if (secrets.includes(null))
    return failed('The secret cannot be decrypted, because the site secret has changed. Rotate the secret');
  const seconds = settings['catalog.webhooks.timeout'];
  signal.throwIfAborted();
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener('abort', end); // removed again: the signal lives as long as the process
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    ending.abort();
  }, seconds * 1_000);
  try {
    const url = new URL(webhook.url);
    const { status, headers, body } = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(message.body)),
        'user-agent': `catalog-gateway/${version} (webhooks)`,
        ...signedHeaders(message.id, new Date(), message.body, secrets as string[]),
      },
      body: message.body,
      signal: ending.signal,
      mayReachPrivate: isAllowedHost(url, allowedHosts),
      timeout: 2 * seconds * 1_000, // never the first timeout to fire
    });
    await drain(body);
    const error = status >= 200 && status < 300 ? null : `Response status ${status}`;
    return { status, error, wished: secondsOf(headers['retry-after']) };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (isLate) return failed(`No response within ${seconds} s`);
    if (thrown instanceof PrivateAddress) return failed(`${thrown.message} (catalog.webhooks.allowed_hosts)`);
    const { code, message } = thrown as NodeJS.ErrnoException;
    return failed(`Cannot be reached (${code ?? message})`.slice(0, 1_000));
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

const failed = (error: string): Sent => ({ status: null, error, wished: 0 });

/** Newest first. */
const secretsOf = (webhook: WebhookRecord, now: Date): string[] =>
  previousSecretUntil(webhook, now) === null ? [webhook.secret] : [webhook.secret, webhook.secretBefore!];

const secondsOf = (retryAfter: string | undefined): number =>
  /^\d{1,9}$/.test(retryAfter?.trim() ?? '') ? Number(retryAfter) : 0;

/** A long or broken response changes nothing: its status has been read. */
async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body) if ((size += chunk.length) > MAX_ANSWER_BYTES) return;
  } catch {
    // its status counts
  }
}
