/** Reads and locks datasets. In SQL because a stored document costs 0.13 ms, and joins through Prisma cost 2.8 ms (docs/decisions/0001). */

import { hidden } from '../../infra/postgres/columns.ts';
import { firstValue, type RowOf, type Sql, type Statement, type Timeout } from '../../infra/postgres/db.ts';
import { likeText } from '../../infra/postgres/like.ts';
import { type Locked, lockRef } from '../../infra/postgres/row-lock.sql.ts';
import type { GroupRow } from '../document/project.ts';
import { readable } from '../document/readable.ts';
import { DatasetRecord, type DocumentRow } from '../document/record.ts';
import type { Collisions } from './dataset.rules.ts';

export const COLUMNS =
  'd.dataset_id, d.name, d.state, d.private, d.owner_organization_id, d.creator_id, d.version, d.linked, d.xmin, d.document';
export const PUBLIC = "d.state = 'active' AND NOT d.private";

/** A column of active public datasets by name, as JSON text. */
export const listedText = (column: 'name' | 'dataset_id', slice = ''): string =>
  `SELECT COALESCE(json_agg(${column}), '[]')::text AS list FROM (
    SELECT ${column} FROM dataset_document d WHERE ${PUBLIC} ORDER BY name COLLATE "C" ${slice}) AS listed`;

/** Documents `d` that match a condition. */
export const documentsWhere = (name: string, condition: string): Statement => ({
  name: `dataset_documents_${name}`,
  text: `SELECT ${COLUMNS} FROM dataset_document d WHERE ${condition}`,
});

const statements = {
  // An id wins over a name: a dataset cannot be hidden by another one's name.
  one: {
    name: 'dataset_document_by_ref',
    text: `SELECT ${COLUMNS} FROM dataset_document d WHERE dataset_id = $1
      UNION ALL SELECT ${COLUMNS} FROM dataset_document d WHERE name = $1 LIMIT 1`,
  },
  byName: documentsWhere('by_name', 'd.name = $1'),
  byIds: documentsWhere('by_id', `d.dataset_id = ANY (${hidden('$1', 'text[]')})`),
  names: { name: 'dataset_names', text: listedText('name', 'LIMIT $1 OFFSET $2') },
  // Merges two indexes: most lists are almost entirely public.
  moreNames: {
    name: 'dataset_names_more',
    text: `SELECT COALESCE(json_agg(name), '[]')::text AS list FROM (
      SELECT d.name COLLATE "C" AS name FROM dataset_document d WHERE ${PUBLIC}
      UNION ALL
      SELECT d.name COLLATE "C" FROM dataset_document d WHERE (d.state <> 'active' OR d.private)
        AND (($3 AND d.state = 'active') OR ($4 AND d.state = 'draft') OR ($5 AND d.state = 'deleted')) AND ${readable('d', 6)}
      ORDER BY name LIMIT $1 OFFSET $2) AS listed`,
  },
  page: documentsWhere('page', `${PUBLIC} ORDER BY d.modified_at DESC, d.dataset_id LIMIT $1 OFFSET $2`),
  suggest: {
    name: 'dataset_suggestions',
    text: `SELECT name, title, name ILIKE $1 AS by_name FROM dataset_document d
      WHERE ${PUBLIC} AND (name ILIKE $1 OR title ILIKE $1) ORDER BY name COLLATE "C" LIMIT $2`,
  },
  collisions: {
    name: 'dataset_collisions',
    text: `SELECT (SELECT id FROM dataset WHERE name = $1) AS name_owner, EXISTS (SELECT 1 FROM dataset WHERE id = $2) AS id_taken,
      (SELECT json_agg(json_build_array(id, dataset_id)) FROM resource WHERE id = ANY (${hidden('$3', 'text[]')})) AS resources,
      (SELECT created_at FROM revision ORDER BY created_at DESC LIMIT 1) AS newest`,
  },
  groups: {
    name: 'dataset_groups_wanted',
    text: `SELECT id, name, title, description, image_url AS "imageUrl", type, is_organization AS "isOrganization",
      approval_status AS "approvalStatus", state, created_at AS "createdAt", revision_id AS "revisionId"
      FROM group_account WHERE (id = ANY ($1) OR name = ANY ($1)) AND state = 'active' ORDER BY id FOR KEY SHARE`,
  },
} satisfies Record<string, Statement>;

/** The document of a dataset, or null. `isName`: only by name. The caller checks the policy. */
export async function findDocument(sql: Sql, idOrName: string, isName = false): Promise<DatasetRecord | null> {
  const [row] = await sql.rows<DocumentRow>(isName ? statements.byName : statements.one, [idOrName]);
  return row ? new DatasetRecord(row) : null;
}

/** Documents by id, unordered; missing ones are omitted. */
export const listDocuments = async (sql: Sql, ids: readonly string[]): Promise<DatasetRecord[]> =>
  (await sql.rows<DocumentRow>(statements.byIds, [ids])).map((row) => new DatasetRecord(row));

/** Locks a dataset's row until the transaction ends; null for an unknown dataset. */
export const lockDataset = (sql: Sql, idOrName: string): Promise<Locked | null> => lockRef(sql, 'dataset', idOrName);

/** JSON text of a part of the names of active public datasets, ascending. All of them: read/names.sql.ts. */
export const namesText = (sql: Sql, limit: number | null, offset: number): Promise<string> =>
  firstValue(sql, statements.names, [limit, offset]);

/** The same with requested active private datasets, drafts and deleted ones (in this order) that the reader (readerOf) may read. */
export const moreNamesText = (
  sql: Sql,
  page: readonly [number | null, number],
  more: readonly [boolean, boolean, boolean],
  reader: readonly unknown[],
): Promise<string> => firstValue(sql, statements.moreNames, [...page, ...more, ...reader]);

/** Active public datasets by offset, most recently modified first. */
export const listPage = async (sql: Sql, limit: number, offset: number): Promise<DatasetRecord[]> =>
  (await sql.rows<DocumentRow>(statements.page, [limit, offset])).map((row) => new DatasetRecord(row));

export type SuggestionRow = RowOf<'DatasetDocument', 'name' | 'title'> & { readonly by_name: boolean };

/** Active public datasets whose name or title starts with or contains the text, by name, with a timeout. @throws CatalogError LIMIT */
export function listSuggestions(
  sql: Sql,
  text: string,
  limit: number,
  anywhere: Timeout | null,
): Promise<SuggestionRow[]> {
  const pattern = `${likeText(text)}%`;
  if (!anywhere) return sql.rows(statements.suggest, [pattern, limit]);
  // Unnamed, so that it is planned for this text: by the index of trigrams for rare ones, by name for others.
  return sql.rows({ text: statements.suggest.text, timeout: anywhere }, [`%${pattern}`, limit]);
}

/** Facts that a draft can collide with, and the time of the newest revision. */
export async function findCollisions(
  sql: Sql,
  name: string,
  newId: string | null,
  resourceIds: string[],
): Promise<Collisions & { newest: Date | null }> {
  const [row] = await sql.rows<{
    name_owner: string | null;
    id_taken: boolean;
    resources: [string, string][] | null;
    newest: Date | null;
  }>(statements.collisions, [name, newId, resourceIds]);
  const resourceOwners = new Map(row!.resources ?? []);
  return { nameOwner: row!.name_owner, idTaken: row!.id_taken, resourceOwners, newest: row!.newest };
}

/** Active groups and organizations by id or name, locked against changes until the transaction ends. */
export async function lockGroups(sql: Sql, refs: string[]): Promise<Map<string, GroupRow>> {
  const rows = refs.length === 0 ? [] : await sql.rows<GroupRow>(statements.groups, [refs]);
  // Names first: an id overrides another group's name.
  return new Map([...rows.map((row) => [row.name, row] as const), ...rows.map((row) => [row.id, row] as const)]);
}
