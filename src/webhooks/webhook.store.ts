/** Stores the owners' settings of webhooks. Deliveries: delivery.store.ts. */
import type { Prisma } from '../generated/prisma/client.ts';
import type { Db } from '../infra/postgres/db.ts';
import { lockRow } from '../infra/postgres/row-lock.sql.ts';
import type { Call } from '../kernel/call.ts';
import type { Keyset } from '../kernel/connection.ts';
import { pageBy } from '../kernel/pages.ts';

export type State = 'active' | 'paused' | 'disabled';

const WEBHOOK_SELECT = {
  id: true,
  number: true,
  userId: true,
  name: true,
  url: true,
  secret: true,
  secretBefore: true,
  secretBeforeUntil: true,
  types: true,
  organizationId: true,
  batchSize: true,
  state: true,
  reason: true,
  version: true,
  createdAt: true,
  cursor: true,
  messageId: true,
  messageEnd: true,
  attempts: true,
  dueAt: true,
  lastSuccessAt: true,
  lastFailureAt: true,
  lastStatus: true,
  lastError: true,
  failures: true,
} satisfies Prisma.WebhookSelect;

type Row = Prisma.WebhookGetPayload<{ select: typeof WEBHOOK_SELECT }>;

export interface WebhookRecord extends Omit<Row, 'number' | 'cursor' | 'messageEnd' | 'types' | 'state'> {
  readonly number: number;
  /** Position in the log. */
  readonly cursor: number;
  readonly messageEnd: number | null;
  /** Kinds of objects in the log's terms; null for all. */
  readonly types: readonly string[] | null;
  readonly state: State;
  /** The secret in clear text, only in the result of the call that created or rotated it. */
  readonly newSecret?: string;
}

/** Settings by owners. */
export type WebhookSettings = Pick<WebhookRecord, 'name' | 'url' | 'types' | 'organizationId' | 'batchSize' | 'state'>;

const recordOf = ({ number, cursor, messageEnd, types, state, ...row }: Row): WebhookRecord => ({
  ...row,
  number: Number(number),
  cursor: Number(cursor),
  messageEnd: messageEnd === null ? null : Number(messageEnd),
  types: types.length > 0 ? types : null,
  state: state as State,
});

const dataOf = ({ name, url, types, organizationId, batchSize, state }: WebhookSettings) => ({
  name,
  url,
  types: [...(types ?? [])],
  organizationId,
  batchSize,
  state,
});

/** State without a current message. */
export const NO_MESSAGE = { messageId: null, messageEnd: null, attempts: 0, dueAt: null };

export type NewWebhook = WebhookSettings & Pick<WebhookRecord, 'id' | 'userId' | 'secret' | 'cursor' | 'createdAt'>;

export async function insertWebhook(db: Db, webhook: NewWebhook): Promise<WebhookRecord> {
  const { id, userId, secret, cursor, createdAt } = webhook;
  const data = { ...dataOf(webhook), id, userId, secret, cursor, createdAt };
  return recordOf(await db.webhook.create({ data, select: WEBHOOK_SELECT }));
}

const ownedBy = (userId: string | null): Prisma.WebhookWhereInput => (userId === null ? {} : { userId });

/** Of one user; null for all users. */
export const countWebhooks = (db: Db, userId: string | null): Promise<number> =>
  db.webhook.count({ where: ownedBy(userId) });

const findMany = async (db: Db, args: Omit<Prisma.WebhookFindManyArgs, 'select' | 'include'>) =>
  (await db.webhook.findMany({ ...args, select: WEBHOOK_SELECT })).map(recordOf);

/** One more than the page's limit, oldest first; of one user, or (null) of all. */
export const pageOfWebhooks = (db: Db, userId: string | null, page: Keyset): Promise<WebhookRecord[]> => {
  const { where, ...rest } = pageBy([{ column: 'number' }], page);
  return findMany(db, { where: { ...ownedBy(userId), ...where }, ...rest });
};

/** Unordered. */
export const webhooksByIds = (db: Db, ids: readonly string[]): Promise<WebhookRecord[]> =>
  findMany(db, { where: { id: { in: [...ids] } } });

/** Locks a webhook until the transaction ends, and reads it; null for an unknown one. */
export const lockWebhook = async ({ db, sql }: Pick<Call, 'db' | 'sql'>, id: string): Promise<WebhookRecord | null> =>
  (await lockRow(sql, 'webhook', id)) ? ((await webhooksByIds(db, [id]))[0] ?? null) : null;

const update = async (db: Db, id: string, data: Prisma.WebhookUncheckedUpdateInput): Promise<WebhookRecord> =>
  recordOf(await db.webhook.update({ where: { id }, data, select: WEBHOOK_SELECT }));

/** Only a disabled webhook has a reason. */
export const updateWebhook = (db: Db, id: string, settings: WebhookSettings): Promise<WebhookRecord> =>
  update(db, id, {
    ...dataOf(settings),
    ...(settings.state !== 'disabled' && { reason: null }),
    version: { increment: 1 },
  });

/** Retries a failed message without a pause, as for the first time. */
export const tryAtOnce = async (db: Db, id: string): Promise<unknown> =>
  update(db, id, { dueAt: null, attempts: 0, failures: 0 });

/** Continues after another position. The current message is abandoned, and its response no longer counts. */
export const moveCursor = async (db: Db, id: string, cursor: number): Promise<unknown> =>
  update(db, id, { ...NO_MESSAGE, cursor });

/** Abandons the current message; the same changes get another id. */
export const renewMessage = async (db: Db, id: string): Promise<unknown> => update(db, id, NO_MESSAGE);

/** Replaces the secret. The previous one also signs until `until`; null: no longer. */
export const rotateSecret = (
  db: Db,
  { id, secret }: WebhookRecord,
  sealed: string,
  until: Date | null,
): Promise<WebhookRecord> =>
  update(db, id, {
    secret: sealed,
    secretBefore: until && secret,
    secretBeforeUntil: until,
    version: { increment: 1 },
  });

export const removeWebhook = async (db: Db, id: string): Promise<unknown> => db.webhook.deleteMany({ where: { id } });

/**
 * The number of changes without a position, and the last position of the log. In this order, a change that gets its
 * position in between counts twice for a moment, and is never missed.
 */
export async function readLog(db: Db): Promise<{ last: number; unplaced: number }> {
  const unplaced = await db.change.count({ where: { position: null } });
  const newest = await db.change.findFirst({
    where: { position: { not: null } },
    orderBy: { position: 'desc' },
    select: { position: true },
  });
  return { last: Number(newest?.position ?? 0), unplaced };
}
