/** Keeps webhooks, in SQL: what people say of them. What delivery writes is in delivery.store.ts. */
import type { Keyset } from '../kernel/connection.ts';
import type { Sql, Statement } from '../kernel/db.ts';

export type State = 'active' | 'paused' | 'disabled';

/** What people decide. */
export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  /** Kinds of objects as the log calls them; null: all. */
  readonly types: readonly string[] | null;
  readonly organizationId: string | null;
  readonly batchSize: number;
  readonly state: State;
}

export interface WebhookRecord extends WebhookSettings {
  readonly id: string;
  readonly number: number;
  readonly userId: string;
  /** Sealed, as is the one before. */
  readonly sealedSecret: string;
  readonly sealedBefore: string | null;
  readonly previousSecretUntil: Date | null;
  readonly reason: string | null;
  readonly version: number;
  readonly createdAt: Date;
  /** Place in the log. */
  readonly cursor: number;
  readonly behind: number;
  readonly messageId: string | null;
  readonly messageEnd: number | null;
  readonly attempts: number;
  readonly dueAt: Date | null;
  readonly lastSuccessAt: Date | null;
  readonly lastFailureAt: Date | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  readonly failures: number;
  /** Of one that was made, or given a new secret, by this call: the secret. */
  readonly newSecret?: string;
}

/** Changes behind the cursor, and those that have no place yet. */
const BEHIND = `(greatest((SELECT max(position) FROM change) - w.cursor, 0)
  + (SELECT count(*) FROM change WHERE position IS NULL))::float8`;

export const COLUMNS = `w.id, w.number::float8 AS number, w.user_id AS "userId", w.name, w.url, w.secret AS "sealedSecret",
  w.secret_before AS "sealedBefore", CASE WHEN w.secret_before_until > now() THEN w.secret_before_until END AS "previousSecretUntil",
  w.types, w.organization_id AS "organizationId", w.batch_size AS "batchSize", w.state, w.reason, w.version, w.created_at AS "createdAt",
  w.cursor::float8 AS cursor, ${BEHIND} AS behind, w.message_id AS "messageId", w.message_end::float8 AS "messageEnd", w.attempts, w.due_at AS "dueAt", w.last_success_at AS "lastSuccessAt",
  w.last_failure_at AS "lastFailureAt", w.last_status AS "lastStatus", w.last_error AS "lastError", w.failures`;

/** No message is under way. */
export const NO_MESSAGE = 'message_id = NULL, message_end = NULL, attempts = 0, due_at = NULL';

/** What is notified where deliverers shall look: a webhook came, or has something to do again. */
export const CHANNEL = 'webhook';

const statements = {
  insert: {
    name: 'webhook_insert',
    text: `INSERT INTO webhook AS w (id, user_id, name, url, types, organization_id, batch_size, state, secret, cursor, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`,
  },
  count: {
    name: 'webhook_count',
    text: 'SELECT count(*)::int AS n FROM webhook WHERE $1::text IS NULL OR user_id = $1',
  },
  page: {
    name: 'webhook_page',
    text: `SELECT ${COLUMNS} FROM webhook w WHERE ($1::text IS NULL OR w.user_id = $1) AND w.number > $2 ORDER BY w.number LIMIT $3`,
  },
  byIds: { name: 'webhook_by_ids', text: `SELECT ${COLUMNS} FROM webhook w WHERE w.id = ANY ($1)` },
  lock: { name: 'webhook_lock', text: `SELECT ${COLUMNS} FROM webhook w WHERE w.id = $1 FOR UPDATE OF w` },
  update: {
    name: 'webhook_update',
    text: `UPDATE webhook w SET name = $2, url = $3, types = $4, organization_id = $5, batch_size = $6, state = $7,
      reason = CASE WHEN $7 = 'disabled' THEN w.reason END, version = w.version + 1 WHERE w.id = $1 RETURNING ${COLUMNS}`,
  },
  tryAtOnce: {
    name: 'webhook_try_at_once',
    text: 'UPDATE webhook SET due_at = NULL, attempts = 0, failures = 0 WHERE id = $1',
  },
  move: {
    name: 'webhook_move',
    text: `UPDATE webhook SET cursor = $2, ${NO_MESSAGE} WHERE id = $1`,
  },
  renew: {
    name: 'webhook_renew',
    text: `WITH letters AS (UPDATE webhook_dead_letter SET id = 'msg_' || replace(gen_random_uuid()::text, '-', '') WHERE webhook_id = $1)
      UPDATE webhook SET ${NO_MESSAGE} WHERE id = $1`,
  },
  rotate: {
    name: 'webhook_rotate',
    text: `UPDATE webhook w SET secret = $2, secret_before = CASE WHEN $3 > 0 THEN w.secret END,
      secret_before_until = CASE WHEN $3 > 0 THEN now() + make_interval(hours => $3) END, version = w.version + 1
      WHERE w.id = $1 RETURNING ${COLUMNS}`,
  },
  remove: { name: 'webhook_delete', text: 'DELETE FROM webhook WHERE id = $1' },
  notify: { name: 'webhook_notify', text: `SELECT pg_notify('${CHANNEL}', '')` },
} satisfies Record<string, Statement>;

const one = async (sql: Sql, statement: Statement, values: readonly unknown[]): Promise<WebhookRecord | null> =>
  (await sql.rows<WebhookRecord>(statement, values))[0] ?? null;

export interface NewWebhook extends WebhookSettings {
  readonly id: string;
  readonly userId: string;
  readonly sealedSecret: string;
  readonly cursor: number;
  readonly createdAt: Date;
}

const settingsOf = ({ name, url, types, organizationId, batchSize, state }: WebhookSettings) => [
  name,
  url,
  types,
  organizationId,
  batchSize,
  state,
];

export const insertWebhook = async (sql: Sql, webhook: NewWebhook): Promise<WebhookRecord> =>
  (await one(sql, statements.insert, [
    webhook.id,
    webhook.userId,
    ...settingsOf(webhook),
    webhook.sealedSecret,
    webhook.cursor,
    webhook.createdAt,
  ]))!;

/** Of one user; null: of all. */
export const countWebhooks = async (sql: Sql, userId: string | null): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count, [userId]))[0]!.n;

/** One more than the page's limit, the oldest first; of one user, or with null of all. */
export const pageOfWebhooks = (sql: Sql, userId: string | null, { limit, after }: Keyset): Promise<WebhookRecord[]> =>
  sql.rows(statements.page, [userId, after?.[0] ?? 0, limit + 1]);

/** In any order. */
export const webhooksByIds = (sql: Sql, ids: readonly string[]): Promise<WebhookRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** Nobody else may change it before the transaction ends; null when there is none. */
export const lockWebhook = (sql: Sql, id: string): Promise<WebhookRecord | null> => one(sql, statements.lock, [id]);

export const updateWebhook = async (sql: Sql, id: string, settings: WebhookSettings): Promise<WebhookRecord> =>
  (await one(sql, statements.update, [id, ...settingsOf(settings)]))!;

/** What failed is tried without waiting, as if for the first time. */
export const tryAtOnce = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.tryAtOnce, [id]));

/** Goes on behind another place; what is under way is given up, and its answer counts no more. */
export const moveCursor = async (sql: Sql, id: string, place: number): Promise<void> =>
  void (await sql.rows(statements.move, [id, place]));

/** What is under way, and each dead letter, is a message of another id from here on: it will say something else than under the old one. */
export const renewMessages = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.renew, [id]));

/** The new secret; the one of before counts for so many hours more. */
export const rotateSecret = async (sql: Sql, id: string, sealed: string, hours: number): Promise<WebhookRecord> =>
  (await one(sql, statements.rotate, [id, sealed, hours]))!;

export const removeWebhook = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.remove, [id]));

/** Tells deliverers at the commit. */
export const notifyDeliverers = async (sql: Sql): Promise<void> => void (await sql.rows(statements.notify));
