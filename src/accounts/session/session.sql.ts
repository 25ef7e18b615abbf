/** The user of a login. In SQL because Prisma compares e-mail addresses in any case by ILIKE, which does not use the index on lower(email). */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { CandidateRecord } from './session.store.ts';

const BY_LOGIN: Statement = {
  name: 'sign_in_by_login',
  text: `SELECT u.id, u.name, u.password_hash AS "passwordHash",
      EXISTS (SELECT FROM sign_in_place p WHERE p.user_id = u.id AND p.address_hash = $2) AS known
    FROM user_account u WHERE u.state = 'active' AND (u.name = $1 OR lower(u.email) = lower($1))
    ORDER BY (u.name = $1) DESC, u.created_at, u.id COLLATE "C" LIMIT 1`,
};

/**
 * The active user with that name, else the oldest account with that e-mail address (in any case); null if there is none. Addresses
 * are not verified: a later account with the same address must not lock the first one out.
 */
export const findCandidate = async (sql: Sql, login: string, addressHash: string): Promise<CandidateRecord | null> =>
  (await sql.rows<CandidateRecord>(BY_LOGIN, [login, addressHash]))[0] ?? null;
