/** Keeps tickets of uploads, in SQL; of their tokens only hashes. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { AnnouncedFile, TicketState } from './ticket.rules.ts';

/** What a user may send, and the file once it came in. */
export interface TicketRecord extends AnnouncedFile, TicketState {
  readonly tokenHash: string;
  /** The first bytes of the file; null until it came in. */
  readonly start: Buffer | null;
}

/** $1 is when those that have or had a file must have expired before, $2 the others. */
const OVER = 'expires_at < $1 AND (key IS NOT NULL OR used OR expires_at < $2)';

const statements = {
  lock: { name: 'upload_tickets_lock', text: 'SELECT id FROM user_account WHERE id = $1 FOR NO KEY UPDATE' },
  open: {
    name: 'upload_tickets_open',
    text: `SELECT count(*) FILTER (WHERE expires_at > $2)::int AS n, coalesce(sum(size), 0)::float8 AS bytes
      FROM upload_ticket WHERE user_id = $1 AND NOT used AND (expires_at > $2 OR key IS NOT NULL)`,
  },
  insert: {
    name: 'upload_ticket_insert',
    text: 'INSERT INTO upload_ticket (token_hash, user_id, size, content_type, sha256, expires_at) VALUES ($1, $2, $3, $4, $5, $6)',
  },
  find: {
    name: 'upload_ticket_find',
    text: `SELECT token_hash AS "tokenHash", user_id AS "userId", size::float8 AS size, content_type AS "contentType", sha256,
      expires_at AS "expiresAt", key, start, used FROM upload_ticket WHERE token_hash = $1`,
  },
  fill: {
    name: 'upload_ticket_fill',
    text: `UPDATE upload_ticket SET key = $2, start = $3, expires_at = $4 WHERE token_hash = $1 AND key IS NULL AND NOT used
      RETURNING token_hash`,
  },
  use: {
    name: 'upload_ticket_use',
    text: 'UPDATE upload_ticket SET key = NULL, used = true WHERE token_hash = $1 AND key = $2 RETURNING token_hash',
  },
  expired: {
    name: 'upload_tickets_expired',
    text: `SELECT token_hash AS "tokenHash" FROM upload_ticket WHERE ${OVER}`,
  },
  sweep: { name: 'upload_tickets_sweep', text: `DELETE FROM upload_ticket WHERE ${OVER}` },
} satisfies Record<string, Statement>;

/** Until the transaction ends nobody else makes tickets for this user. */
export const lockTickets = async (sql: Sql, userId: string): Promise<void> =>
  void (await sql.rows(statements.lock, [userId]));

/** Tickets of a user that can still be sent, or have a file that can be used, and the bytes announced for them and for files not deleted yet. */
export const openTickets = async (sql: Sql, userId: string, now: Date): Promise<{ n: number; bytes: number }> =>
  (await sql.rows<{ n: number; bytes: number }>(statements.open, [userId, now]))[0]!;

/** Keeps a new ticket, without a file. */
export const insertTicket = async (
  sql: Sql,
  { tokenHash, userId, size, contentType, sha256, expiresAt }: Omit<TicketRecord, 'key' | 'start' | 'used'>,
): Promise<void> => void (await sql.rows(statements.insert, [tokenHash, userId, size, contentType, sha256, expiresAt]));

/** By the hash of its token; null when there is none. */
export const findTicket = async (sql: Sql, tokenHash: string): Promise<TicketRecord | null> =>
  (await sql.rows<TicketRecord>(statements.find, [tokenHash]))[0] ?? null;

/** Gives a ticket the file that came in. False when it has or had one, or is gone. */
export const fillTicket = async (
  sql: Sql,
  tokenHash: string,
  { key, start, expiresAt }: { key: string; start: Buffer; expiresAt: Date },
): Promise<boolean> => (await sql.rows(statements.fill, [tokenHash, key, start, expiresAt])).length > 0;

/** Takes the file from a ticket, for something else to have it. False when it is not there any more. */
export const takeFile = async (sql: Sql, tokenHash: string, key: string): Promise<boolean> =>
  (await sql.rows(statements.use, [tokenHash, key])).length > 0;

/** Hashes of the tokens of tickets that expired before; of those without a file, before `unsent`, which is no later. */
export const expiredTickets = async (sql: Sql, before: Date, unsent: Date): Promise<string[]> =>
  (await sql.rows<{ tokenHash: string }>(statements.expired, [before, unsent])).map(({ tokenHash }) => tokenHash);

/** Deletes the same tickets; their files become discarded ones. */
export const sweepTickets = async (sql: Sql, before: Date, unsent: Date): Promise<void> =>
  void (await sql.rows(statements.sweep, [before, unsent]));
