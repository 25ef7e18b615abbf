/** Writes index entries by set, and finds wrong ones. In SQL because Prisma has no tsvector, and the index is written by set from JSON. */
import { firstValue, type RowOf, type Sql, type Statement } from '../../infra/postgres/db.ts';
import type { Entry } from './entry.rules.ts';
import { linkCodes } from './links.sql.ts';

const COPIED = [
  'state',
  'private',
  'owner_organization_id',
  'creator_id',
  'name',
  'title',
  'created_at',
  'modified_at',
];
const OWN = ['resource_count', 'tag_count', 'length_factor', 'facets', 'words', 'field_words'];
const COLUMNS = ['public', ...COPIED, ...OWN];

/** Input entries as rows, with the columns that repeat their document's. */
const GIVEN = `given AS MATERIALIZED (SELECT d.dataset_id, d.state = 'active' AND NOT d.private AS public, ${COPIED.map((column) => `d.${column}`).join(', ')},
    g.resource_count, g.tag_count, g.length_factor, g.words::tsvector AS words, g.field_words::tsvector AS field_words,
    ARRAY(SELECT k.code FROM jsonb_to_recordset(g.values) AS v(field text, value text)
      JOIN search_value k ON k.field = v.field COLLATE "C" AND k.value = v.value COLLATE "C"
      UNION ${linkCodes('d.dataset_id')} ORDER BY code) AS facets
  FROM jsonb_to_recordset($1::jsonb) AS g(id text, words text, field_words text, values jsonb, resource_count int, tag_count int, length_factor real)
  JOIN dataset_document d ON d.dataset_id = g.id)`;

/** Datasets `from` a group $1 that are indexed under another name, or indexed although it is inactive. */
const renamed = (field: string, from: string): Statement => ({
  name: `search_renamed_${field}`,
  text: `SELECT s.dataset_id FROM ${from} AND s.state <> 'purged' AND NOT s.facets @> ARRAY[COALESCE((
    SELECT k.code FROM group_account g JOIN search_value k ON k.field = '${field}' AND k.value = g.name COLLATE "C"
    WHERE g.id = $1 AND g.state = 'active'), -1)]`,
});

const statements = {
  // Waits for a value that another transaction has just added; the next statement sees it.
  values: {
    name: 'search_values_add',
    text: `INSERT INTO search_value (field, value) SELECT DISTINCT v.field COLLATE "C", v.value COLLATE "C"
      FROM jsonb_to_recordset($1::jsonb) AS v(field text, value text)
      WHERE NOT EXISTS (SELECT 1 FROM search_value k WHERE k.field = v.field COLLATE "C" AND k.value = v.value COLLATE "C")
      ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
  },
  entries: {
    name: 'search_entries_write',
    text: `WITH ${GIVEN}, changed AS (
        UPDATE dataset_search s SET written = pg_current_xact_id(), ${COLUMNS.map((column) => `${column} = g.${column}`).join(', ')}
        FROM given g WHERE s.dataset_id = g.dataset_id RETURNING s.dataset_id)
      INSERT INTO dataset_search (dataset_id, ${COLUMNS.join(', ')}) SELECT g.dataset_id, ${COLUMNS.map((column) => `g.${column}`).join(', ')}
      FROM given g WHERE g.dataset_id NOT IN (SELECT dataset_id FROM changed) ON CONFLICT (dataset_id) DO NOTHING`,
  },
  documents: {
    name: 'search_documents',
    text: 'SELECT document FROM dataset_document WHERE dataset_id = ANY ($1) ORDER BY dataset_id FOR NO KEY UPDATE',
  },
  renamedOwner: renamed('organization', 'dataset_search s WHERE s.owner_organization_id = $1'),
  renamedGroup: renamed(
    'groups',
    'dataset_group f JOIN dataset_search s ON s.dataset_id = f.dataset_id WHERE f.group_id = $1',
  ),
  // $1 is null or the previous id. Includes entries without a document.
  page: {
    name: 'search_index_page',
    text: `SELECT COALESCE(d.dataset_id, s.dataset_id) AS id FROM dataset_document d FULL JOIN
      (SELECT dataset_id FROM dataset_search WHERE state <> 'purged') s ON s.dataset_id = d.dataset_id
      WHERE $1::text IS NULL OR COALESCE(d.dataset_id, s.dataset_id) > $1 ORDER BY 1 LIMIT $2`,
  },
  faults: {
    name: 'search_index_faults',
    text: `WITH ${GIVEN} SELECT COALESCE(g.dataset_id, s.dataset_id) AS id,
        CASE WHEN s.dataset_id IS NULL THEN ARRAY['(missing)'] WHEN g.dataset_id IS NULL THEN ARRAY['(removed)'] ELSE ARRAY_REMOVE(ARRAY[
          ${COLUMNS.map((column) => `CASE WHEN s.${column} IS DISTINCT FROM g.${column} THEN '${column}' END`).join(', ')}], NULL) END AS faults
      FROM given g FULL JOIN (SELECT * FROM dataset_search WHERE dataset_id = ANY ($2) AND state <> 'purged') s ON s.dataset_id = g.dataset_id
      ORDER BY 1`,
  },
  purge: {
    name: 'search_index_purge',
    text: `UPDATE dataset_search s SET written = pg_current_xact_id(), public = false, state = 'purged', facets = '{}', words = '', field_words = ''
      WHERE s.dataset_id = ANY ($1) AND NOT EXISTS (SELECT 1 FROM dataset_document d WHERE d.dataset_id = s.dataset_id)`,
  },
  status: {
    name: 'search_index_status',
    text: `SELECT (SELECT count(*) FROM dataset_document)::int AS datasets,
      (SELECT count(*) FROM dataset_search WHERE state <> 'purged')::int AS indexed,
      (SELECT count(*) FROM dataset_search WHERE public)::int AS public, (SELECT count(*) FROM search_value)::int AS values,
      pg_total_relation_size('dataset_search')::float8 AS bytes`,
  },
  missing: {
    name: 'search_index_missing',
    text: `SELECT EXISTS (SELECT 1 FROM dataset_document d WHERE NOT EXISTS (
      SELECT 1 FROM dataset_search s WHERE s.dataset_id = d.dataset_id)) AS missing`,
  },
} satisfies Record<string, Statement>;

/** Writes the entries of existing documents. Sends both statements before waiting. */
export async function writeEntries(sql: Sql, entries: readonly Entry[]): Promise<void> {
  const json = JSON.stringify(entries);
  const values = JSON.stringify(entries.flatMap((entry) => entry.values));
  await Promise.all([sql.rows(statements.values, [values]), sql.rows(statements.entries, [json])]);
}

/** Documents of these datasets as JSON texts, locked until the transaction ends. */
export const listDocumentTexts = async (sql: Sql, ids: readonly string[]): Promise<string[]> =>
  (await sql.rows<RowOf<'DatasetDocument', 'document'>>(statements.documents, [ids])).map(({ document }) => document);

/** Datasets indexed under a former name of the group or organization, or indexed although it is inactive. */
export const listRenamed = async (sql: Sql, group: { id: string; isOrganization: boolean }): Promise<string[]> =>
  (
    await sql.rows<{ dataset_id: string }>(group.isOrganization ? statements.renamedOwner : statements.renamedGroup, [
      group.id,
    ])
  ).map((row) => row.dataset_id);

/** Ids after an id, of datasets with a document or an index entry. */
export const listIdsAfter = async (sql: Sql, after: string | null, limit: number): Promise<string[]> =>
  (await sql.rows<{ id: string }>(statements.page, [after, limit])).map(({ id }) => id);

/** Faults of an index row: names of columns, or `(missing)`, `(removed)`. */
export interface IndexFault {
  readonly id: string;
  readonly faults: string[];
}

/** Rows that differ from these entries, which are those of `ids` with a document. */
export const listFaults = async (sql: Sql, entries: readonly Entry[], ids: readonly string[]): Promise<IndexFault[]> =>
  (await sql.rows<IndexFault>(statements.faults, [JSON.stringify(entries), ids])).filter(
    ({ faults }) => faults.length > 0,
  );

/** Empties the rows of datasets without a document. */
export const purgeEntries = async (sql: Sql, ids: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.purge, [ids]));

/** Sizes of the index. */
export interface IndexStatus {
  /** Datasets in any state. */
  readonly datasets: number;
  readonly indexed: number;
  /** Active and not private. */
  readonly public: number;
  /** Number of facet values. */
  readonly values: number;
  readonly bytes: number;
}

export const readStatus = async (sql: Sql): Promise<IndexStatus> =>
  (await sql.rows<IndexStatus>(statements.status))[0]!;

/** Whether any dataset has no index row. */
export const isAnyMissing = (sql: Sql): Promise<boolean> => firstValue(sql, statements.missing);
