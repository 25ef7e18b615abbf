/** Files of resources, and keys of files and images that nobody has any more. */
import type { Sql, Statement } from '../../kernel/db.ts';

/** What a key in the store is for, as the rows say. */
export interface KeyRecord {
  readonly key: string;
  /** resource, group or user; `upload` waits to be used by the user who sent it, `discarded` to be deleted. */
  readonly owner: 'resource' | 'group' | 'user' | 'upload' | 'discarded';
  /** Of the owner, the user of an upload; empty for a discarded one. */
  readonly ownerId: string;
}

/** A kept file. */
export interface FileRecord {
  readonly resourceId: string;
  /** Where the store has it; another file has another key. */
  readonly key: string;
  /** As the client had it. */
  readonly name: string;
  readonly size: number;
  readonly createdAt: Date;
}

const statements = {
  put: {
    name: 'resource_file_put',
    text: `INSERT INTO resource_file (resource_id, key, name, size, created_at) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (resource_id) DO UPDATE SET key = EXCLUDED.key, name = EXCLUDED.name, size = EXCLUDED.size, created_at = EXCLUDED.created_at`,
  },
  drop: { name: 'resource_files_drop', text: 'DELETE FROM resource_file WHERE resource_id = ANY ($1)' },
  byResource: {
    name: 'resource_files_by_resource',
    text: `SELECT resource_id AS "resourceId", key, name, size::float8 AS size, created_at AS "createdAt"
      FROM resource_file WHERE resource_id = ANY ($1)`,
  },
  has: {
    name: 'file_has',
    text: `SELECT EXISTS (SELECT FROM resource_file WHERE key = $1) OR EXISTS (SELECT FROM image_file WHERE key = $1)
      OR EXISTS (SELECT FROM upload_ticket WHERE key = $1) AS found`,
  },
  keys: {
    name: 'file_keys',
    text: `SELECT * FROM (
        SELECT key, 'resource' AS owner, resource_id AS "ownerId" FROM resource_file
        UNION ALL SELECT key, CASE WHEN group_id IS NULL THEN 'user' ELSE 'group' END, coalesce(group_id, user_id) FROM image_file
        UNION ALL SELECT key, 'upload', user_id FROM upload_ticket WHERE key IS NOT NULL
        UNION ALL SELECT key, 'discarded', '' FROM discarded_file) k
      WHERE ($1::text IS NULL OR key COLLATE "C" > $1) ORDER BY key COLLATE "C" LIMIT $2`,
  },
  discarded: { name: 'discarded_files', text: 'SELECT key FROM discarded_file ORDER BY key LIMIT $1' },
  forget: { name: 'discarded_files_forget', text: 'DELETE FROM discarded_file WHERE key = ANY ($1)' },
} satisfies Record<string, Statement>;

/** Gives a resource its file; the one before becomes a discarded one. */
export const putFile = async (sql: Sql, file: FileRecord): Promise<void> =>
  void (await sql.rows(statements.put, [file.resourceId, file.key, file.name, file.size, file.createdAt]));

/** Takes the files of these resources away; they become discarded ones. */
export const dropFiles = async (sql: Sql, resourceIds: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.drop, [resourceIds]));

/** Files of these resources, in no order; resources without one are left out. */
export const listFiles = (sql: Sql, resourceIds: readonly string[]): Promise<FileRecord[]> =>
  sql.rows(statements.byResource, [resourceIds]);

/** True when anybody has the file. */
export async function isKept(sql: Sql, key: string): Promise<boolean> {
  const [row] = await sql.rows<{ found: boolean }>(statements.has, [key]);
  return row!.found;
}

/** Keys of discarded files, at most `limit`. */
export const listDiscarded = async (sql: Sql, limit: number): Promise<string[]> =>
  (await sql.rows<{ key: string }>(statements.discarded, [limit])).map(({ key }) => key);

/** Strikes discarded files off the list. */
export const forgetDiscarded = async (sql: Sql, keys: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.forget, [keys]));

/** Every key that rows name, by key, after one of them; null begins at the beginning. */
export const listKeys = (sql: Sql, after: string | null, limit: number): Promise<KeyRecord[]> =>
  sql.rows(statements.keys, [after, limit]);
