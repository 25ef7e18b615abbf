/** Stores dead letters: messages whose delivery failed permanently. Their changes are in the log. */
import type { Prisma } from '../generated/prisma/client.ts';
import { type CountByKeys, counterBy } from '../infra/postgres/by-keys.sql.ts';
import type { Db } from '../infra/postgres/db.ts';
import type { Keyset } from '../kernel/connection.ts';
import { pageBy } from '../kernel/pages.ts';

const DEAD_LETTER_SELECT = {
  id: true,
  number: true,
  webhookId: true,
  startPlace: true,
  endPlace: true,
  changes: true,
  attempts: true,
  status: true,
  error: true,
  createdAt: true,
  lastTriedAt: true,
  isQueued: true,
} satisfies Prisma.WebhookDeadLetterSelect;

export type DeadLetterRecord = Prisma.WebhookDeadLetterGetPayload<{ select: typeof DEAD_LETTER_SELECT }>;

/** A page of each webhook's dead letters (one more than its limit), oldest first, in one list. */
export async function pagesOfDeadLetters(
  db: Db,
  webhookIds: readonly string[],
  page: Keyset,
): Promise<DeadLetterRecord[]> {
  const deadLetters = { ...pageBy([{ column: 'number' }], page), select: DEAD_LETTER_SELECT };
  const where = { id: { in: [...webhookIds] } };
  const webhooks = await db.webhook.findMany({ where, select: { deadLetters }, relationLoadStrategy: 'join' });
  return webhooks.flatMap((webhook) => webhook.deadLetters);
}

/** By webhook; webhooks without dead letters are omitted. */
export const countsOfDeadLetters: CountByKeys = counterBy({ table: 'webhook_dead_letter', by: 'webhookId' });

/** After a partial redelivery, reduces a dead letter to its remaining changes, under a new id. */
export const replaceByRest = async (
  db: Db,
  id: string,
  rest: Pick<Prisma.WebhookDeadLetterUncheckedUpdateManyInput, 'id' | 'startPlace' | 'changes'>,
): Promise<void> => void (await db.webhookDeadLetter.updateMany({ where: { id }, data: rest }));

export const deleteDeadLetter = async (db: Db, id: string): Promise<void> =>
  void (await db.webhookDeadLetter.deleteMany({ where: { id } }));

/** Queues dead letters of a webhook. Returns the ids of existing ones. */
export async function queueDeadLetters(db: Db, where: Prisma.WebhookDeadLetterWhereInput): Promise<string[]> {
  const data = { isQueued: true };
  const queued = await db.webhookDeadLetter.updateManyAndReturn({ where, data, select: { id: true } });
  return queued.map(({ id }) => id);
}
