/** Keeps the sources, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';

export type SourceKind = 'ckan' | 'dcat';

/** How a source is read and how far it is trusted; what is left out has the usual value. */
export interface SourceSettings {
  /** Requests a second, at most. */
  readonly perSecond?: number;
  /** Of the datasets that came from the source, how many percent may be gone at once. */
  readonly goneAtMost?: number;
  /** Whether objects that are here already under the same id are taken over. */
  readonly adopt?: boolean;
}

export interface SourceRecord {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly kind: SourceKind;
  readonly organizationId: string | null;
  readonly organizationName: string | null;
  readonly userId: string | null;
  readonly userName: string | null;
  /** Sealed. */
  readonly apiKey: string | null;
  /** Minutes. */
  readonly every: number | null;
  readonly settings: SourceSettings;
  readonly readUntil: string | null;
  /** Grows with every change that somebody makes of it. */
  readonly version: number;
  readonly createdAt: Date;
}

/** Without what follows from the rest. */
export type NewSource = Omit<SourceRecord, 'organizationName' | 'userName' | 'version'>;

const COLUMNS = `id, name, title, url, kind, organization_id AS "organizationId", user_id AS "userId",
  (SELECT g.name FROM group_account g WHERE g.id = organization_id) AS "organizationName",
  (SELECT u.name FROM user_account u WHERE u.id = user_id) AS "userName", api_key AS "apiKey", every, settings, read_until AS "readUntil", version, created_at AS "createdAt"`;

const statements = {
  find: {
    name: 'harvest_source_find',
    text: `SELECT ${COLUMNS} FROM harvest_source WHERE id = $1 OR name = $1 ORDER BY id = $1 DESC LIMIT 1`,
  },
  byUrl: {
    name: 'harvest_source_by_url',
    text: `SELECT ${COLUMNS} FROM harvest_source WHERE url = $1 ORDER BY created_at, id LIMIT 1`,
  },
  byIds: { name: 'harvest_sources_by_ids', text: `SELECT ${COLUMNS} FROM harvest_source WHERE id = ANY ($1)` },
  page: {
    name: 'harvest_sources_page',
    text: `SELECT ${COLUMNS} FROM harvest_source WHERE ($1::text[] IS NULL OR organization_id = ANY ($1)) AND name COLLATE "C" > $2
      ORDER BY name COLLATE "C" LIMIT $3`,
  },
  count: {
    name: 'harvest_sources_count',
    text: 'SELECT count(*)::int AS n FROM harvest_source WHERE $1::text[] IS NULL OR organization_id = ANY ($1)',
  },
  lock: { name: 'harvest_source_lock', text: `SELECT ${COLUMNS} FROM harvest_source WHERE id = $1 FOR UPDATE` },
  update: {
    name: 'harvest_source_update',
    text: `UPDATE harvest_source SET name = $2, title = $3, url = $4, organization_id = $5, user_id = $6, api_key = $7, every = $8,
      settings = $9, read_until = $10, version = version + 1 WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  remove: { name: 'harvest_source_delete', text: 'DELETE FROM harvest_source WHERE id = $1' },
  insert: {
    name: 'harvest_source_insert',
    text: `INSERT INTO harvest_source (id, name, title, url, kind, organization_id, user_id, api_key, every, settings, created_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING ${COLUMNS}`,
  },
  readUntil: {
    name: 'harvest_source_read_until',
    text: 'UPDATE harvest_source SET read_until = $2 WHERE id = $1',
  },
} satisfies Record<string, Statement>;

const one = async (sql: Sql, statement: Statement, values: unknown[]): Promise<SourceRecord | null> =>
  (await sql.rows<SourceRecord>(statement, values))[0] ?? null;

/** By id or name; null when there is none. */
export const findSource = (sql: Sql, idOrName: string): Promise<SourceRecord | null> =>
  one(sql, statements.find, [idOrName]);

/** The oldest with this address; null when there is none. */
export const findSourceByUrl = (sql: Sql, url: string): Promise<SourceRecord | null> =>
  one(sql, statements.byUrl, [url]);

export const insertSource = async (sql: Sql, source: NewSource): Promise<SourceRecord> =>
  (await one(sql, statements.insert, [
    source.id,
    source.name,
    source.title,
    source.url,
    source.kind,
    source.organizationId,
    source.userId,
    source.apiKey,
    source.every,
    JSON.stringify(source.settings),
    source.createdAt,
  ]))!;

/** Which sources: those of these organizations; null: all. */
export type OfOrganizations = readonly string[] | null;

/** In any order. */
export const sourcesByIds = (sql: Sql, ids: readonly string[]): Promise<SourceRecord[]> =>
  sql.rows(statements.byIds, [ids]);

/** By name; `after` is a name. */
export const listSources = (sql: Sql, of: OfOrganizations, after: string, limit: number): Promise<SourceRecord[]> =>
  sql.rows(statements.page, [of, after, limit]);

export const countSources = async (sql: Sql, of: OfOrganizations): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count, [of]))[0]!.n;

/** Nobody else may change it before the transaction ends; null when there is none. */
export const lockSource = (sql: Sql, id: string): Promise<SourceRecord | null> => one(sql, statements.lock, [id]);

export const updateSource = async (sql: Sql, source: NewSource): Promise<SourceRecord> =>
  (await one(sql, statements.update, [
    source.id,
    source.name,
    source.title,
    source.url,
    source.organizationId,
    source.userId,
    source.apiKey,
    source.every,
    JSON.stringify(source.settings),
    source.readUntil,
  ]))!;

export const deleteSource = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.remove, [id]));

/** What the source changed before that moment has been dealt with; null: all of it is to be read. */
export const setReadUntil = async (sql: Sql, id: string, readUntil: string | null): Promise<void> =>
  void (await sql.rows(statements.readUntil, [id, readUntil]));
