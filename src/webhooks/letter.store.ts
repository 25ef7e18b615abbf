/** Keeps dead letters, in SQL: which messages were given up. What they say stands in the log. */
import type { Keyset } from '../kernel/connection.ts';
import type { Sql, Statement } from '../kernel/db.ts';

export interface LetterRecord {
  readonly id: string;
  readonly number: number;
  readonly webhookId: string;
  /** Its changes are behind this place … */
  readonly start: number;
  /** … up to this one. */
  readonly end: number;
  readonly changes: number;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly lastTriedAt: Date;
  readonly isQueued: boolean;
}

/** One that shall be sent again, as it was read: `seen` changes whenever somebody asks for it once more. */
export interface QueuedLetter extends LetterRecord {
  readonly seen: string;
}

const COLUMNS = `l.id, l.number::float8 AS number, l.webhook_id AS "webhookId", l.start_place::float8 AS start, l.end_place::float8 AS "end",
  l.changes, l.attempts, l.status, l.error, l.created_at AS "createdAt", l.last_tried_at AS "lastTriedAt", l.is_queued AS "isQueued"`;

const statements = {
  pages: {
    name: 'webhook_letter_pages',
    text: `SELECT l.* FROM unnest($1::text[]) AS w(id) CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM webhook_dead_letter l
      WHERE l.webhook_id = w.id AND l.number > $2 ORDER BY l.number LIMIT $3) l ORDER BY l.number`,
  },
  counts: {
    name: 'webhook_letter_counts',
    text: 'SELECT webhook_id AS id, count(*)::int AS n FROM webhook_dead_letter WHERE webhook_id = ANY ($1) GROUP BY webhook_id',
  },
  next: {
    name: 'webhook_letter_next',
    text: `SELECT ${COLUMNS}, l.xmin::text AS seen FROM webhook_dead_letter l WHERE l.webhook_id = $1 AND l.is_queued
      ORDER BY l.number LIMIT 1`,
  },
  keep: {
    name: 'webhook_letter_keep',
    text: `UPDATE webhook_dead_letter l SET is_queued = l.xmin::text <> $4, attempts = attempts + 1, status = $2, error = $3,
      last_tried_at = now() WHERE id = $1`,
  },
  rest: {
    name: 'webhook_letter_rest',
    text: 'UPDATE webhook_dead_letter SET id = $2, start_place = $3, changes = $4 WHERE id = $1',
  },
  remove: { name: 'webhook_letter_delete', text: 'DELETE FROM webhook_dead_letter WHERE id = $1' },
  queueSome: {
    name: 'webhook_letter_queue_some',
    text: 'UPDATE webhook_dead_letter SET is_queued = true WHERE webhook_id = $1 AND id = ANY ($2) RETURNING id',
  },
  queueSince: {
    name: 'webhook_letter_queue_since',
    text: 'UPDATE webhook_dead_letter SET is_queued = true WHERE webhook_id = $1 AND created_at >= $2',
  },
} satisfies Record<string, Statement>;

/** A page of each webhook's letters (one more than its limit), the oldest first; of all in one list. */
export const pagesOfLetters = (
  sql: Sql,
  webhookIds: readonly string[],
  { limit, after }: Keyset,
): Promise<LetterRecord[]> => sql.rows(statements.pages, [webhookIds, after?.[0] ?? 0, limit + 1]);

/** By webhook; those without letters are left out. */
export const countsOfLetters = (sql: Sql, webhookIds: readonly string[]): Promise<{ id: string; n: number }[]> =>
  sql.rows(statements.counts, [webhookIds]);

/** The oldest of a webhook's letters that shall be sent again; null when there is none. */
export const nextLetter = async (sql: Sql, webhookId: string): Promise<QueuedLetter | null> =>
  (await sql.rows<QueuedLetter>(statements.next, [webhookId]))[0] ?? null;

/** It was sent again, and not taken. Where somebody asked for it meanwhile, it is sent once more. */
export const keepLetter = async (
  sql: Sql,
  { id, seen }: QueuedLetter,
  status: number | null,
  error: string,
): Promise<void> => void (await sql.rows(statements.keep, [id, status, error, seen]));

/** It was taken up to a place: what is left, so many changes, is a letter of another id. */
export const restOfLetter = async (
  sql: Sql,
  { id }: LetterRecord,
  newId: string,
  start: number,
  changes: number,
): Promise<void> => void (await sql.rows(statements.rest, [id, newId, start, changes]));

export const deleteLetter = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.remove, [id]));

/** Has these of a webhook's letters sent again; those that are there. */
export const queueLetters = async (sql: Sql, webhookId: string, ids: readonly string[]): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.queueSome, [webhookId, ids])).map(({ id }) => id);

/** Has all of a webhook's letters that were given up since then sent again. */
export const queueLettersSince = async (sql: Sql, webhookId: string, since: Date): Promise<void> =>
  void (await sql.rows(statements.queueSince, [webhookId, since]));
