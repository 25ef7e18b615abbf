/**
 * What deliverers read and write of webhooks. Each word of a holder counts only while the webhook is held by it, and what it says of a
 * message only while that is the message under way. Times are the database's.
 */
import type { Sql, Statement } from '../kernel/db.ts';
import { COLUMNS, NO_MESSAGE, type WebhookRecord } from './webhook.store.ts';

/** A webhook that this process holds. */
export interface HeldWebhook extends WebhookRecord {
  /** Who holds it. */
  readonly holder: string;
  /** Whether what waits may be tried now. */
  readonly isDue: boolean;
}

/** A message that was begun. */
export interface Message {
  readonly messageId: string;
  /** How many changes it tells of. */
  readonly changes: number;
  /** The place of the log up to which it goes. */
  readonly end: number;
}

/** How a try went. */
export interface Answer {
  /** Null: there was none. */
  readonly status: number | null;
  /** Null: it was taken. */
  readonly error: string | null;
}

const FREE = '(w.held_until IS NULL OR w.held_until < now())';
const MINE = 'w.id = $1 AND w.holder = $2';
/** Changes that are looked through at a time for webhooks that most of the log does not concern. */
const PASSED_AT_ONCE = 10_000;

const statements = {
  any: { name: 'webhook_any', text: `SELECT EXISTS (SELECT FROM webhook WHERE state = 'active') AS any` },
  pass: {
    name: 'webhook_pass',
    text: `UPDATE webhook w SET cursor = least($1::bigint, w.cursor + ${PASSED_AT_ONCE})
      WHERE w.state = 'active' AND w.cursor < $1 AND w.message_id IS NULL AND ${FREE}
        AND (w.types IS NOT NULL OR w.organization_id IS NOT NULL)
        AND EXISTS (SELECT FROM change c WHERE c.position = w.cursor + 1)
        AND NOT EXISTS (SELECT FROM change c WHERE c.position > w.cursor AND c.position <= least($1::bigint, w.cursor + ${PASSED_AT_ONCE})
          AND (w.types IS NULL OR c.object_type = ANY (w.types))
          AND (w.organization_id IS NULL OR c.object_id = w.organization_id OR c.readers ->> 'ownerOrganizationId' = w.organization_id
            OR c.readers_before ->> 'ownerOrganizationId' = w.organization_id))`,
  },
  due: {
    name: 'webhook_due',
    text: `SELECT d.id FROM (SELECT w.id, row_number() OVER (PARTITION BY w.user_id ORDER BY random())
        + (SELECT count(*) FROM webhook h WHERE h.user_id = w.user_id AND starts_with(h.holder, $4) AND h.held_until >= now()) AS number FROM webhook w
      WHERE w.state = 'active' AND ${FREE} AND ((w.cursor <> $1 AND (w.due_at IS NULL OR w.due_at <= now()))
        OR EXISTS (SELECT FROM webhook_dead_letter l WHERE l.webhook_id = w.id AND l.is_queued))) d
      WHERE d.number <= $3 ORDER BY random() LIMIT $2`,
  },
  hold: {
    name: 'webhook_hold',
    text: `UPDATE webhook w SET holder = $2, held_until = now() + make_interval(secs => $3)
      WHERE w.id = $1 AND w.state = 'active' AND (w.holder = $2 OR ${FREE})
      RETURNING ${COLUMNS}, w.holder, (w.due_at IS NULL OR w.due_at <= now()) AS "isDue"`,
  },
  release: {
    name: 'webhook_release',
    text: `UPDATE webhook w SET holder = NULL, held_until = NULL WHERE ${MINE}`,
  },
  begin: {
    name: 'webhook_begin',
    text: `UPDATE webhook w SET message_id = $3, message_end = $4, attempts = 0
      WHERE ${MINE} AND w.message_id IS NOT DISTINCT FROM $5 AND w.version = $6 RETURNING w.id`,
  },
  skip: {
    name: 'webhook_skip',
    text: `UPDATE webhook w SET cursor = $3, ${NO_MESSAGE} WHERE ${MINE} AND w.version = $4 RETURNING w.id`,
  },
  taken: {
    name: 'webhook_taken',
    text: `UPDATE webhook w SET cursor = $3, ${NO_MESSAGE}, last_success_at = now(), last_status = $4, last_error = NULL, failures = 0
      WHERE ${MINE} AND w.message_id = $5 RETURNING w.id`,
  },
  again: {
    name: 'webhook_again',
    text: `UPDATE webhook w SET attempts = w.attempts + 1, due_at = now() + make_interval(secs => $5), last_failure_at = now(),
      last_status = $3, last_error = $4, failures = w.failures + 1 WHERE ${MINE} AND w.message_id = $6 AND w.url = $7 RETURNING w.id`,
  },
  giveUp: {
    name: 'webhook_give_up',
    text: `WITH old AS (SELECT w.* FROM webhook w WHERE ${MINE} AND w.message_id = $7 AND w.url = $8 FOR UPDATE),
      moved AS (UPDATE webhook w SET cursor = old.message_end, ${NO_MESSAGE}, last_failure_at = now(), last_status = $3, last_error = $4,
        failures = w.failures + 1 FROM old WHERE w.id = old.id RETURNING w.id),
      crowded AS (DELETE FROM webhook_dead_letter l USING moved WHERE l.webhook_id = moved.id AND l.number <= (
        SELECT k.number FROM webhook_dead_letter k WHERE k.webhook_id = moved.id ORDER BY k.number DESC OFFSET $6 - 1 LIMIT 1))
      INSERT INTO webhook_dead_letter (id, webhook_id, start_place, end_place, changes, attempts, status, error, created_at, last_tried_at)
      SELECT old.message_id, old.id, old.cursor, old.message_end, $5, old.attempts + 1, $3, $4, now(), now() FROM old
      RETURNING webhook_id AS id`,
  },
  disable: {
    name: 'webhook_disable',
    text: `UPDATE webhook w SET state = 'disabled', reason = $3, holder = NULL, held_until = NULL
      WHERE ${MINE} AND w.url = $4`,
  },
} satisfies Record<string, Statement>;

export const isAnyActive = async (sql: Sql): Promise<boolean> =>
  (await sql.rows<{ any: boolean }>(statements.any))[0]!.any;

/** Moves on the webhooks that nothing up to this place concerns, all in one statement. */
export const passIdle = async (sql: Sql, place: number): Promise<void> =>
  void (await sql.rows(statements.pass, [place]));

/**
 * Some of those that nobody holds and that have something to send before this place, by chance; of one user no more than
 * `mostOfUser`, with those that `process` holds, so that slow receivers of one do not take all its room.
 */
export const dueWebhooks = async (
  sql: Sql,
  process: string,
  place: number,
  limit: number,
  mostOfUser: number,
): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.due, [place, limit, mostOfUser, `${process} `])).map(({ id }) => id);

/** Takes a webhook for so many seconds, or goes on holding it, and tells how it is now; null where it is not to be had. */
export const holdWebhook = async (sql: Sql, id: string, holder: string, lease: number): Promise<HeldWebhook | null> =>
  (await sql.rows<HeldWebhook>(statements.hold, [id, holder, lease]))[0] ?? null;

/** Lets others have it. */
export const releaseWebhook = async (sql: Sql, id: string, holder: string): Promise<void> =>
  void (await sql.rows(statements.release, [id, holder]));

const isDone = async (sql: Sql, statement: Statement, values: readonly unknown[]): Promise<boolean> =>
  (await sql.rows(statement, values)).length > 0;

/**
 * The message that is about to be sent: whoever sends it again uses its id. False where the webhook is no longer held, or somebody has
 * changed it since; so for all below.
 */
export const beginMessage = (sql: Sql, webhook: HeldWebhook, messageId: string, end: number): Promise<boolean> =>
  isDone(sql, statements.begin, [webhook.id, webhook.holder, messageId, end, webhook.messageId, webhook.version]);

/** Nothing up to this place is to be told. */
export const skipTo = (sql: Sql, { id, holder, version }: HeldWebhook, place: number): Promise<boolean> =>
  isDone(sql, statements.skip, [id, holder, place, version]);

/** The receiver has taken the message, and with it everything up to this place. */
export const messageTaken = (
  sql: Sql,
  { id, holder }: HeldWebhook,
  { messageId, end }: Message,
  status: number,
): Promise<boolean> => isDone(sql, statements.taken, [id, holder, end, status, messageId]);

/** The try failed; the next is after so many seconds. Says nothing of another address than it was sent to. */
export const tryAgain = (
  sql: Sql,
  { id, holder, url }: HeldWebhook,
  { messageId }: Message,
  answer: Answer,
  pause: number,
): Promise<boolean> => isDone(sql, statements.again, [id, holder, answer.status, answer.error, pause, messageId, url]);

/** The last try failed: the message, of so many changes, goes to the dead letters, of which the newest are kept. */
export const giveUp = (
  sql: Sql,
  { id, holder, url }: HeldWebhook,
  { messageId, changes }: Message,
  answer: Answer,
  kept: number,
): Promise<boolean> =>
  isDone(sql, statements.giveUp, [id, holder, answer.status, answer.error, changes, kept, messageId, url]);

/** Nothing more is sent until somebody takes it up again, or to another address. */
export const disableWebhook = async (sql: Sql, { id, holder, url }: HeldWebhook, reason: string): Promise<void> =>
  void (await sql.rows(statements.disable, [id, holder, reason, url]));
