/** What the catalog knows of resources that are loaded, and of what they were loaded from. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { Loadable } from '../ask/ask.rules.ts';

/** A resource with its file and what its table was last loaded from. */
export interface LoadingRecord extends Loadable {
  readonly datasetId: string;
  readonly state: string;
  readonly active: boolean;
  /** Of an uploaded file; null without one. */
  readonly fileKey: string | null;
  readonly fileSize: number | null;
  readonly source: string | null;
  readonly loadedHash: string | null;
  readonly loadedSize: number | null;
  readonly etag: string | null;
  readonly modified: string | null;
}

/** What a table was loaded from. */
export interface LoadRecord {
  readonly resourceId: string;
  /** Key of the file, or address of the link. */
  readonly source: string;
  readonly hash: string;
  readonly size: number;
  readonly etag: string | null;
  readonly modified: string | null;
  readonly rows: number;
}

const statements = {
  find: {
    name: 'loading_find',
    text: `SELECT r.id, r.dataset_id AS "datasetId", r.state, r.url, r.url_type AS "urlType", r.format, r.last_modified AS "lastModified",
        r.hash, r.datastore_active AS active, f.key AS "fileKey", f.size::float8 AS "fileSize", l.source, l.hash AS "loadedHash",
        l.size::float8 AS "loadedSize", l.etag, l.modified
      FROM resource r LEFT JOIN resource_file f ON f.resource_id = r.id LEFT JOIN table_load l ON l.resource_id = r.id WHERE r.id = $1`,
  },
  put: {
    name: 'loading_put',
    text: `INSERT INTO table_load (resource_id, source, hash, size, etag, modified, rows, loaded_at)
      SELECT id, $2, $3, $4, $5, $6, $7, $8 FROM resource WHERE id = $1
      ON CONFLICT (resource_id) DO UPDATE SET source = EXCLUDED.source, hash = EXCLUDED.hash, size = EXCLUDED.size, etag = EXCLUDED.etag,
        modified = EXCLUDED.modified, rows = EXCLUDED.rows, loaded_at = EXCLUDED.loaded_at`,
  },
} satisfies Record<string, Statement>;

/** Null when there is no such resource. */
export const findLoading = async (sql: Sql, resourceId: string): Promise<LoadingRecord | null> =>
  (await sql.rows<LoadingRecord>(statements.find, [resourceId]))[0] ?? null;

export const putLoad = async (sql: Sql, load: LoadRecord, now: Date): Promise<void> =>
  void (await sql.rows(statements.put, [
    load.resourceId,
    load.source,
    load.hash,
    load.size,
    load.etag,
    load.modified,
    load.rows,
    now,
  ]));
