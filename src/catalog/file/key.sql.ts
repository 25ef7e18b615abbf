/** Lists keys of files in rows. In SQL because Prisma has no UNION: one statement pages four tables together. */
import { isNoBackup } from '../../infra/postgres/backup-locks.sql.ts';
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';

/** The use of a key in the store, by the rows. */
export interface KeyRecord {
  readonly key: string;
  /** resource, group or user; `upload` is unused yet, `discarded` is to be deleted. */
  readonly owner: 'resource' | 'group' | 'user' | 'upload' | 'discarded';
  /** Id of the owner, or of the user of an upload; empty for a discarded file. */
  readonly ownerId: string;
}

const statements = {
  keys: {
    name: 'file_keys',
    text: `SELECT * FROM (
        SELECT key, 'resource' AS owner, resource_id AS "ownerId" FROM resource_file
        UNION ALL SELECT key, CASE WHEN group_id IS NULL THEN 'user' ELSE 'group' END, coalesce(group_id, user_id) FROM image_file
        UNION ALL SELECT key, 'upload', user_id FROM upload_ticket WHERE key IS NOT NULL
        UNION ALL SELECT key, 'discarded', '' FROM discarded_file) k
      WHERE ($1::text IS NULL OR key COLLATE "C" > $1) ORDER BY key COLLATE "C" LIMIT $2`,
  },
} satisfies Record<string, Statement>;

/** Keys in rows, sorted, after one of them; null starts at the first. */
export const listKeys = (sql: Sql, after: string | null, limit: number): Promise<KeyRecord[]> =>
  sql.rows(statements.keys, [after, limit]);

/** False during a backup, which needs files that are discarded after its point. */
export const mayRemoveFiles = (sql: Sql): Promise<boolean> => firstValue(sql, isNoBackup);
