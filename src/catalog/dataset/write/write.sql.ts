/**
 * Writes datasets. In SQL because a statement in Prisma's transaction costs 5 times as much, and Prisma has no upsert of several rows.
 * These are the hot writes: one statement per table, pipelined. Each function sends its statement before its first await, so that callers
 * can send several at once: the connection keeps their order.
 */

import { type Sql, type Statement, TAKEN } from '../../../infra/postgres/db.ts';
import { DATASET_TEXT_FIELDS } from '../../../kernel/dataset-fields.ts';
import { conflict } from '../../../kernel/errors.ts';
import { columnOf } from '../../../kernel/text.ts';
import type { DatasetRow, ResourceRow } from '../../document/project.ts';
import { type DatasetBody, isLinked } from '../../document/record.ts';

/** In the order of the statements' values; the id is the first. */
const DATASET_KEYS = [
  'id',
  'name',
  'title',
  ...DATASET_TEXT_FIELDS,
  'type',
  'state',
  'private',
  'ownerOrganizationId',
  'creatorId',
  'createdAt',
  'modifiedAt',
  'revisionId',
  'version',
  'fields',
] as const satisfies readonly (keyof DatasetRow)[];
const datasetColumns = DATASET_KEYS.map(columnOf);
const numbers = datasetColumns.map((_column, index) => `$${index + 1}`);

const RESOURCE_COLUMNS = `id text, dataset_id text, position int, state text, url text, name text, description text, format text, hash text,
  mimetype text, mimetype_inner text, resource_type text, url_type text, cache_url text, webstore_url text, size bigint, created text,
  last_modified text, cache_last_updated text, webstore_last_updated text, extras jsonb, revision_id text`;
const resourceNames = RESOURCE_COLUMNS.split(',').map((column) => column.trim().split(' ')[0]!);

/** Sets a list of the dataset $1 to exactly the rows of `insert`; the keys $2 are those of remaining rows. */
const exactly = (table: string, key: string, insert: string): Statement => ({
  name: `${table}s_write`,
  text: `WITH gone AS (DELETE FROM ${table} WHERE dataset_id = $1 AND ${key} <> ALL ($2)) INSERT INTO ${table} ${insert}`,
});

const statements = {
  insert: {
    name: 'dataset_insert',
    text: `INSERT INTO dataset (${datasetColumns.join(', ')}) VALUES (${numbers.join(', ')})`,
  },
  update: {
    name: 'dataset_update',
    text: `UPDATE dataset SET ${datasetColumns.map((column, index) => `${column} = ${numbers[index]}`).join(', ')} WHERE id = $1`,
  },
  deleteResources: {
    name: 'resources_delete',
    text: `WITH gone AS (DELETE FROM resource WHERE dataset_id = $1 AND id = ANY ($2) RETURNING id)
      DELETE FROM task_status WHERE entity_id IN (SELECT id FROM gone)`,
  },
  resources: {
    name: 'resources_write',
    text: `INSERT INTO resource (${resourceNames.join(', ')}) SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(${RESOURCE_COLUMNS})
      ON CONFLICT (id) DO UPDATE SET ${resourceNames
        .slice(2)
        .map((name) => `${name} = EXCLUDED.${name}`)
        .join(', ')},
      version = resource.version + 1 WHERE resource.dataset_id = EXCLUDED.dataset_id RETURNING id`,
  },
  document: {
    name: 'dataset_document_write',
    text: `WITH kept AS (INSERT INTO dataset_history (dataset_id, revision_id, created_at, version, document, name, state, private,
          owner_organization_id, creator_id) VALUES ($1, $2, $3, $4, $5, $6, $9, $10, $11, $12))
      INSERT INTO dataset_document (dataset_id, name, title, type, state, private, owner_organization_id, creator_id, created_at, modified_at,
        version, document, linked)
      VALUES ($1, $6, $7, $8, $9, $10, $11, $12, $13, $3, $4, $5, $14)
      ON CONFLICT (dataset_id) DO UPDATE SET name = EXCLUDED.name, title = EXCLUDED.title, type = EXCLUDED.type, state = EXCLUDED.state,
        private = EXCLUDED.private, owner_organization_id = EXCLUDED.owner_organization_id, modified_at = EXCLUDED.modified_at,
        version = EXCLUDED.version, document = EXCLUDED.document, linked = EXCLUDED.linked`,
  },
  groups: exactly(
    'dataset_group',
    'group_id',
    `(id, dataset_id, group_id, capacity, revision_id)
      SELECT gen_random_uuid()::text, $1, unnest($2::text[]), 'public', $3 ON CONFLICT (dataset_id, group_id) DO NOTHING`,
  ),
  tags: exactly(
    'dataset_tag',
    'tag_id',
    '(dataset_id, tag_id) SELECT DISTINCT $1, unnest($2::text[]) ON CONFLICT DO NOTHING',
  ),
  extras: exactly(
    'dataset_extra',
    'key',
    `(dataset_id, key, value) SELECT $1, * FROM unnest($2::text[], $3::text[])
      ON CONFLICT (dataset_id, key) DO UPDATE SET value = EXCLUDED.value`,
  ),
} satisfies Record<string, Statement>;

/** Writes the dataset's own row. */
export async function writeDatasetRow(sql: Sql, row: DatasetRow, isNew: boolean): Promise<void> {
  const values = DATASET_KEYS.map((key) => (key === 'fields' ? JSON.stringify(row.fields) : row[key]));
  await sql.rows(isNew ? statements.insert : statements.update, values);
}

/** Inserts or changes resources, one statement for all. @throws CatalogError CONFLICT if another dataset has just used an id */
export async function writeResources(sql: Sql, rows: readonly ResourceRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map((row) =>
    Object.fromEntries(
      resourceNames.map((column) => {
        const value = row[column.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()) as keyof ResourceRow];
        return [column, typeof value === 'bigint' ? value.toString() : value];
      }),
    ),
  );
  const written = await sql.rows(statements.resources, [JSON.stringify(values)]);
  if (written.length < rows.length) throw conflict(TAKEN);
}

/** Deletes resources of one dataset by id. */
export async function deleteResources(sql: Sql, datasetId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql.rows(statements.deleteResources, [datasetId, ids]);
}

/** Sets the tags of a dataset to exactly these. */
export const writeTags = async (sql: Sql, datasetId: string, tagIds: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.tags, [datasetId, tagIds]));

/** Sets the extras of a dataset to exactly these. */
export const writeExtras = async (
  sql: Sql,
  datasetId: string,
  extras: readonly { key: string; value: string }[],
): Promise<void> =>
  void (await sql.rows(statements.extras, [datasetId, extras.map(({ key }) => key), extras.map(({ value }) => value)]));

/** Sets the groups of a dataset to exactly these; capacities of remaining ones stay. */
export const writeGroups = async (
  sql: Sql,
  datasetId: string,
  groupIds: readonly string[],
  revisionId: string,
): Promise<void> => void (await sql.rows(statements.groups, [datasetId, groupIds, revisionId]));

/** Writes the read model and this revision's copy of it in one statement. */
export async function writeDocument(sql: Sql, row: DatasetRow, revisionId: string, body: DatasetBody): Promise<string> {
  const text = JSON.stringify(body);
  await sql.rows(statements.document, [
    row.id,
    revisionId,
    row.modifiedAt,
    row.version,
    text,
    row.name,
    row.title,
    row.type,
    row.state,
    row.private,
    row.ownerOrganizationId,
    row.creatorId,
    row.createdAt,
    isLinked(body),
  ]);
  return text;
}
