/** Leases webhooks, and sets pauses of their retries. In SQL because Prisma has no clock of the database, which leases and pauses use. */
import type { Sql, Statement } from '../infra/postgres/db.ts';
import type { WebhookRecord } from './webhook.store.ts';

/** A webhook whose lease this process holds. */
export interface HeldWebhook extends WebhookRecord {
  readonly holder: string;
  /** Whether the waiting message may be sent now. */
  readonly isDue: boolean;
}

export interface Message {
  readonly messageId: string;
  /** Number of changes in it. */
  readonly changes: number;
  /** Position in the log of its last change. */
  readonly end: number;
}

/** The outcome of an attempt. */
export interface Answer {
  /** Null without a response. */
  readonly status: number | null;
  /** Null for success. */
  readonly error: string | null;
}

const FREE = '(w.held_until IS NULL OR w.held_until < now())';
const MINE = 'w.id = $1 AND w.holder = $2';
/** Maximum number of irrelevant changes that a webhook skips at a time. */
const MAX_PASSED = 10_000;

const statements = {
  pass: {
    name: 'webhook_pass',
    text: `UPDATE webhook w SET cursor = least($1::bigint, w.cursor + ${MAX_PASSED})
      WHERE w.state = 'active' AND w.cursor < $1 AND w.message_id IS NULL AND ${FREE}
        AND (w.types <> '{}' OR w.organization_id IS NOT NULL)
        AND EXISTS (SELECT FROM change c WHERE c.position = w.cursor + 1)
        AND NOT EXISTS (SELECT FROM change c WHERE c.position > w.cursor AND c.position <= least($1::bigint, w.cursor + ${MAX_PASSED})
          AND (w.types = '{}' OR c.object_type = ANY (w.types))
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
  /** 32 is the maximum of links of a span. */
  causes: {
    text: `SELECT r.traceparent FROM change c JOIN revision r ON r.id = c.revision_id
      WHERE c.position > $1 AND c.position <= $2 AND r.traceparent IS NOT NULL GROUP BY r.traceparent LIMIT 32`,
  },
  hold: {
    name: 'webhook_hold',
    text: `UPDATE webhook w SET holder = $2, held_until = now() + make_interval(secs => $3)
      WHERE w.id = $1 AND w.state = 'active' AND (w.holder = $2 OR ${FREE})
      RETURNING (w.due_at IS NULL OR w.due_at <= now()) AS "isDue"`,
  },
  again: {
    name: 'webhook_again',
    text: `UPDATE webhook w SET attempts = w.attempts + 1, due_at = now() + make_interval(secs => $5), last_failure_at = now(),
      last_status = $3, last_error = $4, failures = w.failures + 1 WHERE ${MINE} AND w.message_id = $6 AND w.url = $7 RETURNING w.id`,
  },
  giveUp: {
    name: 'webhook_give_up',
    text: `WITH old AS (SELECT w.* FROM webhook w WHERE ${MINE} AND w.message_id = $7 AND w.url = $8 FOR UPDATE),
      moved AS (UPDATE webhook w SET cursor = old.message_end, message_id = NULL, message_end = NULL, attempts = 0, due_at = NULL, last_failure_at = now(), last_status = $3, last_error = $4,
        failures = w.failures + 1 FROM old WHERE w.id = old.id RETURNING w.id),
      crowded AS (DELETE FROM webhook_dead_letter l USING moved WHERE l.webhook_id = moved.id AND l.number <= (
        SELECT k.number FROM webhook_dead_letter k WHERE k.webhook_id = moved.id ORDER BY k.number DESC OFFSET $6 - 1 LIMIT 1))
      INSERT INTO webhook_dead_letter (id, webhook_id, start_place, end_place, changes, attempts, status, error, created_at, last_tried_at)
      SELECT old.message_id, old.id, old.cursor, old.message_end, $5, old.attempts + 1, $3, $4, now(), now() FROM old
      RETURNING webhook_id AS id`,
  },
} satisfies Record<string, Statement>;

/** Advances webhooks that no change up to this position concerns, all in one statement. */
export const passIdle = async (sql: Sql, position: number): Promise<void> =>
  void (await sql.rows(statements.pass, [position]));

/**
 * Ids of free webhooks with pending changes before this position, in random order. At most `maxPerUser` per user,
 * including those that `process` holds, so that slow receivers of one user do not occupy all senders.
 */
export const dueWebhooks = async (
  sql: Sql,
  process: string,
  position: number,
  limit: number,
  maxPerUser: number,
): Promise<string[]> =>
  (await sql.rows<Pick<WebhookRecord, 'id'>>(statements.due, [position, limit, maxPerUser, `${process} `])).map(
    ({ id }) => id,
  );

/** Spans that wrote changes between two positions, a bounded number of them. */
export const causesOf = async (sql: Sql, after: number, until: number): Promise<string[]> =>
  (await sql.rows<{ traceparent: string }>(statements.causes, [after, until])).map(({ traceparent }) => traceparent);

/** Takes or extends the lease of a webhook, in seconds. Null if it is not free, else whether its message may be sent now. */
export const claimWebhook = async (
  sql: Sql,
  id: string,
  holder: string,
  lease: number,
): Promise<{ isDue: boolean } | null> =>
  (await sql.rows<{ isDue: boolean }>(statements.hold, [id, holder, lease]))[0] ?? null;

/** Records a failed attempt; the next one is in `pause` seconds. False if the lease was lost or the address changed. */
export const tryAgain = async (
  sql: Sql,
  { id, holder, url }: HeldWebhook,
  { messageId }: Message,
  { status, error }: Answer,
  pause: number,
): Promise<boolean> =>
  (await sql.rows(statements.again, [id, holder, status, error, pause, messageId, url])).length > 0;

/** Records the last failed attempt: the message becomes a dead letter. Only the newest `max` dead letters are retained. */
export const giveUp = async (
  sql: Sql,
  { id, holder, url }: HeldWebhook,
  { messageId, changes }: Message,
  { status, error }: Answer,
  max: number,
): Promise<boolean> =>
  (await sql.rows(statements.giveUp, [id, holder, status, error, changes, max, messageId, url])).length > 0;
