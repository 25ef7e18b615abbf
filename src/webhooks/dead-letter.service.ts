/** Dead letters: webhook messages whose delivery failed permanently. */
import { type Call, inTransaction } from '../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../kernel/connection.ts';
import { invalid, invalidField, limitAt } from '../kernel/errors.ts';
import { type DeadLetterRecord, queueDeadLetters } from './dead-letter.store.ts';
import { webhookShow } from './webhook.service.ts';
import { notifyDispatchers } from './webhook.sql.ts';
import type { WebhookRecord } from './webhook.store.ts';

export type DeadLetterPage = Connection<DeadLetterRecord>;

interface Loaders {
  deadLetterPages: { load(of: { id: string; page: ReturnType<typeof keyset> }): Promise<DeadLetterRecord[]> };
  deadLetterCounts: { load(id: string): Promise<number> };
}

/** Dead letters of a webhook that the caller may manage, oldest first. @throws CatalogError VALIDATION, LIMIT */
export async function deadLettersOf(
  call: Call,
  loaders: Loaders,
  { id }: WebhookRecord,
  args: PageArgs,
): Promise<DeadLetterPage> {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  return connection(
    await loaders.deadLetterPages.load({ id, page }),
    page,
    ({ number }) => [Number(number)],
    () => loaders.deadLetterCounts.load(id),
  );
}

/** Maximum number of messages in one request. */
const MAX_NAMED = 100;

/** Redelivers dead letters: the listed ones, or those since a time. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT */
export async function redeliver(
  call: Call,
  { webhook: id, messages, since }: { webhook: string; messages?: readonly string[] | null; since?: Date | null },
): Promise<WebhookRecord> {
  const webhook = await webhookShow(call, id);
  if ((messages == null) === (since == null)) throw invalid([{ path: [], message: 'Give either messages or since' }]);
  if (messages && messages.length > MAX_NAMED)
    throw limitAt('messages', `At most ${MAX_NAMED} messages (got ${messages.length})`);
  return inTransaction(call, async ({ db, sql }) => {
    if (since) await queueDeadLetters(db, { webhookId: id, createdAt: { gte: since } });
    if (messages) {
      const queued = new Set(await queueDeadLetters(db, { webhookId: id, id: { in: [...messages] } }));
      const missing = messages.find((message) => !queued.has(message));
      if (missing !== undefined) throw invalidField('messages', `${missing} is not a dead letter of this webhook`);
    }
    await notifyDispatchers(sql);
    return webhook;
  });
}
