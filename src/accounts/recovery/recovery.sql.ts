/** Recipients of password keys. In SQL because Prisma compares e-mail addresses in any case by ILIKE, which does not use the index on lower(email). */
import type { Sql, Statement } from '../../kernel/db.ts';

/** A user with an e-mail address. */
export interface RecipientRecord {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
}

const RECIPIENTS: Statement = {
  name: 'recovery_recipients',
  text: `SELECT id, name, display_name AS "displayName", email FROM user_account
    WHERE state IN ('active', 'pending') AND email IS NOT NULL AND (id = $1 OR name = $1 OR lower(email) = lower($1))
    ORDER BY (id = $1 OR name = $1) DESC, created_at, id COLLATE "C" LIMIT $2::int`,
};

/** Active and pending users by id, name or e-mail address in any case; matches by id or name first, then the oldest accounts. */
export const findRecipients = (sql: Sql, login: string, limit: number): Promise<RecipientRecord[]> =>
  sql.rows(RECIPIENTS, [login, limit]);
