/**
 * Finds dead letters to deliver again, and stores failures. In SQL because Prisma has no `xmin`, which shows whether a dead letter was
 * requested again during an attempt.
 */
import type { Sql, Statement } from '../infra/postgres/db.ts';

const statements = {
  next: {
    name: 'webhook_letter_next',
    text: `SELECT id, start_place::float8 AS start, end_place::float8 AS "end", xmin::text AS seen FROM webhook_dead_letter
      WHERE webhook_id = $1 AND is_queued ORDER BY number LIMIT 1`,
  },
  keep: {
    name: 'webhook_letter_keep',
    text: `UPDATE webhook_dead_letter l SET is_queued = l.xmin::text <> $4, attempts = attempts + 1, status = $2, error = $3,
      last_tried_at = now() WHERE id = $1`,
  },
} satisfies Record<string, Statement>;

/** A dead letter to send again. `seen` changes with every new request for it. */
export interface QueuedDeadLetter {
  readonly id: string;
  /** Its changes are after this position … */
  readonly start: number;
  /** … up to this one. */
  readonly end: number;
  readonly seen: string;
}

/** The oldest of a webhook's queued dead letters; null without one. */
export const nextDeadLetter = async (sql: Sql, webhookId: string): Promise<QueuedDeadLetter | null> =>
  (await sql.rows<QueuedDeadLetter>(statements.next, [webhookId]))[0] ?? null;

/** Records a failed redelivery. A dead letter that was requested again in the meantime stays queued. */
export const storeFailedRetry = async (
  sql: Sql,
  { id, seen }: QueuedDeadLetter,
  status: number | null,
  error: string,
): Promise<void> => void (await sql.rows(statements.keep, [id, status, error, seen]));
