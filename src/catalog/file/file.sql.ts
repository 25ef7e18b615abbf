/** Reads files of resources. In SQL: each page of a resource reads them, and Prisma takes several times as long. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import type { FileRecord } from './file.store.ts';

const FILES: Statement = {
  name: 'files_of_resources',
  text: `SELECT resource_id AS "resourceId", key, name, size::float8 AS size, created_at AS "createdAt"
    FROM resource_file WHERE resource_id = ANY ($1)`,
};

/** Files of these resources, unordered; resources without one are omitted. */
export const listFiles = (sql: Sql, resourceIds: readonly string[]): Promise<FileRecord[]> =>
  sql.rows<FileRecord>(FILES, [resourceIds]);
