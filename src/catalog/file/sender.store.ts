/** Datasets that their creator may edit without a capacity. */
import type { Sql, Statement } from '../../kernel/db.ts';

const statements = {
  unowned: {
    name: 'user_has_unowned',
    text: 'SELECT EXISTS (SELECT FROM dataset WHERE creator_id = $1 AND owner_organization_id IS NULL) AS found',
  },
} satisfies Record<string, Statement>;

/** Whether a user has created a dataset that no organization owns, in whatever state. */
export const hasUnowned = async (sql: Sql, userId: string): Promise<boolean> =>
  (await sql.rows<{ found: boolean }>(statements.unowned, [userId]))[0]?.found ?? false;
