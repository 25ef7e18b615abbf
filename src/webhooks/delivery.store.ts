/**
 * Stores the dispatcher's progress on webhooks. A write applies only while the dispatcher holds the lease, and a write
 * about a message only while that message is current. Each returns false otherwise.
 */
import type { Prisma } from '../generated/prisma/client.ts';
import type { Db } from '../infra/postgres/db.ts';
import type { Call } from '../kernel/call.ts';
import { claimWebhook, type HeldWebhook, type Message } from './delivery.sql.ts';
import { NO_MESSAGE, webhooksByIds } from './webhook.store.ts';

export const isAnyActive = async (db: Db): Promise<boolean> =>
  (await db.webhook.findFirst({ where: { state: 'active' }, select: { id: true } })) !== null;

/** Takes or extends the lease of a webhook, in seconds, and reads it; null if it is not free. */
export async function holdWebhook(
  { db, sql }: Pick<Call, 'db' | 'sql'>,
  id: string,
  holder: string,
  lease: number,
): Promise<HeldWebhook | null> {
  const claim = await claimWebhook(sql, id, holder, lease);
  const [webhook] = claim ? await webhooksByIds(db, [id]) : [];
  return webhook ? { ...webhook, holder, isDue: claim!.isDue } : null;
}

const update = async (
  db: Db,
  { id, holder }: Pick<HeldWebhook, 'id' | 'holder'>,
  where: Prisma.WebhookWhereInput,
  data: Prisma.WebhookUncheckedUpdateManyInput,
): Promise<boolean> => (await db.webhook.updateMany({ where: { id, holder, ...where }, data })).count > 0;

const FREE = { holder: null, heldUntil: null };

export const releaseWebhook = (db: Db, id: string, holder: string): Promise<boolean> =>
  update(db, { id, holder }, {}, FREE);

/** Stores the message before it is sent. A repeated delivery uses its id. */
export const beginMessage = (db: Db, webhook: HeldWebhook, messageId: string, messageEnd: number): Promise<boolean> =>
  update(
    db,
    webhook,
    { messageId: webhook.messageId, version: webhook.version },
    { messageId, messageEnd, attempts: 0 },
  );

/** Advances the cursor over changes that the webhook does not send. */
export const skipTo = (db: Db, webhook: HeldWebhook, cursor: number): Promise<boolean> =>
  update(db, webhook, { version: webhook.version }, { ...NO_MESSAGE, cursor });

/** Records that the receiver accepted the message. */
export const messageTaken = (
  db: Db,
  webhook: HeldWebhook,
  { messageId, end }: Message,
  lastStatus: number,
): Promise<boolean> =>
  update(
    db,
    webhook,
    { messageId },
    { ...NO_MESSAGE, cursor: end, lastSuccessAt: new Date(), lastStatus, lastError: null, failures: 0 },
  );

/** Stops deliveries until a user resumes the webhook or changes its address. */
export const disableWebhook = (db: Db, webhook: HeldWebhook, reason: string): Promise<boolean> =>
  update(db, webhook, { url: webhook.url }, { ...FREE, state: 'disabled', reason });
