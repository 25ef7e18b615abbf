/**
 * Rewrites the parts of documents that other objects own. In SQL because Prisma cannot set a column from other tables: one statement
 * rewrites the documents of a whole organization.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { keepCopies } from './copies.ts';

/** `ids` selects the datasets; their version increases, so that ETags change with the shown content. */
const touched = (ids: string): string =>
  `touched AS (UPDATE dataset SET version = version + 1 WHERE id IN (${ids}) RETURNING id, version)`;

/** The URL of a group's image: `imageAddress` in SQL. `siteUrl` is a parameter. */
const imageOf = (siteUrl: string): string =>
  `CASE WHEN g.image_url = '' OR g.image_url ~* '^https?:' THEN g.image_url ELSE ${siteUrl}::text || '/uploads/group/' || g.image_url END`;

const GROUPS_OF = `COALESCE((
  SELECT jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name, 'title', g.title, 'display_name', COALESCE(NULLIF(g.title, ''), g.name),
    'description', g.description, 'image_display_url', ${imageOf('$2')}) ORDER BY COALESCE(NULLIF(g.title, ''), g.name) COLLATE "C", g.name COLLATE "C")
  FROM dataset_group f JOIN group_account g ON g.id = f.group_id AND g.state = 'active' AND NOT g.is_organization
  WHERE f.dataset_id = d.dataset_id), '[]')`;

const TAGS_OF = `COALESCE((
  SELECT jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'display_name', t.name, 'state', 'active',
    'vocabulary_id', t.vocabulary_id) ORDER BY t.name COLLATE "C")
  FROM dataset_tag u JOIN tag t ON t.id = u.tag_id WHERE u.dataset_id = d.dataset_id), '[]')`;

const relationshipsOf = (own: string): string => `COALESCE((
  SELECT jsonb_agg(jsonb_build_object('id', r.id, 'type', r.type, 'comment', r.comment, '__extras', jsonb_build_object(
    'subject_package_id', r.subject_id, 'object_package_id', r.object_id, 'revision_id', r.revision_id)) ORDER BY r.id COLLATE "C")
  FROM dataset_relationship r WHERE r.${own} = d.dataset_id), '[]')`;

/** Rewrites documents of datasets that `changed` selects; also sets `also`. */
const rewrite = (name: string, changed: string, document: string, also = '', end = ''): Statement => ({
  name: `documents_${name}`,
  text: `WITH ${changed} UPDATE dataset_document d SET version = touched.version, document = (${document})::text ${also}
    FROM touched WHERE d.dataset_id = touched.id ${end}`,
});
const GIVEN = touched('SELECT unnest($1::text[])');

/** Rewrites both lists of relationships; `end` reads the documents `written`. */
const relate = (name: string, end: string): Statement => ({
  name: `documents_${name}`,
  text: `WITH ${GIVEN}, written AS (
    UPDATE dataset_document d SET version = touched.version, document = (d.document::jsonb || jsonb_build_object(
      'relationships_as_subject', ${relationshipsOf('subject_id')}, 'relationships_as_object', ${relationshipsOf('object_id')}))::text,
      linked = EXISTS (SELECT 1 FROM dataset_relationship r WHERE d.dataset_id IN (r.subject_id, r.object_id))
    FROM touched WHERE d.dataset_id = touched.id RETURNING d.*) ${end}`,
});

const statements = {
  relationships: relate('refresh_relationships', 'SELECT count(*) FROM written'),
  link: relate('link', keepCopies('$2', 'greatest($3, modified_at)')),
  groups: rewrite('refresh_groups', GIVEN, `jsonb_set(d.document::jsonb, '{groups}', ${GROUPS_OF})`),
  organization: rewrite(
    'refresh_organization',
    touched('SELECT id FROM dataset WHERE owner_organization_id = $1'),
    `jsonb_set(d.document::jsonb, '{organization}', COALESCE((
      SELECT jsonb_build_object('id', g.id, 'name', g.name, 'title', g.title, 'description', g.description, 'image_url', g.image_url,
        'created', to_char(g.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), 'is_organization', g.is_organization,
        'type', g.type, 'state', g.state, 'approval_status', g.approval_status, 'revision_id', g.revision_id)
      FROM group_account g WHERE g.id = $1 AND g.state = 'active'), 'null'))`,
  ),
  release: rewrite(
    'release',
    `touched AS (UPDATE dataset SET version = version + 1, owner_organization_id = NULL, revision_id = $2
      WHERE owner_organization_id = $1 RETURNING id, version)`,
    `d.document::jsonb || jsonb_build_object('organization', NULL, 'owner_org', NULL, 'revision_id', $2::text)`,
    ', owner_organization_id = NULL',
    'RETURNING d.dataset_id',
  ),
  tags: rewrite(
    'refresh_tags',
    GIVEN,
    `d.document::jsonb || (SELECT jsonb_build_object('tags', t.tags, 'num_tags', jsonb_array_length(t.tags)) FROM (SELECT ${TAGS_OF} AS tags) t)`,
  ),
  table: rewrite(
    'mark_table',
    `marked AS (UPDATE resource SET datastore_active = $2, datastore_private = datastore_private AND $2
      WHERE id = $1 AND datastore_active <> $2 RETURNING dataset_id), ${touched('SELECT dataset_id FROM marked')}`,
    `jsonb_set(d.document::jsonb, '{resources}', (
      SELECT jsonb_agg(CASE WHEN r.value ->> 'id' = $1 THEN r.value || jsonb_build_object('datastore_active', $2::boolean) ELSE r.value END
        ORDER BY r.ordinality)
      FROM jsonb_array_elements(d.document::jsonb -> 'resources') WITH ORDINALITY r))`,
  ),
  file: {
    name: 'documents_file',
    text: `INSERT INTO dataset_group (id, dataset_id, group_id, capacity, revision_id)
      SELECT gen_random_uuid()::text, id, $1, $3, $4 FROM dataset WHERE id = ANY ($2)
      ON CONFLICT (dataset_id, group_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id
      RETURNING dataset_id`,
  },
} satisfies Record<string, Statement>;

const idsOf = (rows: { dataset_id: string }[]): string[] => [...new Set(rows.map((row) => row.dataset_id))];

/** Recomputes `groups` of these datasets' documents; images are below `siteUrl`. */
export async function refreshGroups(sql: Sql, datasetIds: string[], siteUrl: string): Promise<void> {
  if (datasetIds.length > 0) await sql.rows(statements.groups, [datasetIds, siteUrl]);
}

/** Recomputes both lists of relationships of these datasets' documents. */
export async function refreshRelationships(sql: Sql, datasetIds: string[]): Promise<void> {
  if (datasetIds.length > 0) await sql.rows(statements.relationships, [datasetIds]);
}

/** The same as a revision of these datasets, which must exist. */
export const linkOwn = async (sql: Sql, datasetIds: readonly string[], revisionId: string, now: Date): Promise<void> =>
  void (await sql.rows(statements.link, [datasetIds, revisionId, now]));

/** Recomputes `organization` in the documents of all datasets of the organization. */
export const refreshOrganization = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.organization, [id]));

/** Removes the owner of all datasets of the organization. Private datasets stay private: only sysadmins see them then. */
export const releaseOwned = async (sql: Sql, id: string, revisionId: string): Promise<string[]> =>
  idsOf(await sql.rows(statements.release, [id, revisionId]));

/** Adds datasets to a group; existing ones get the capacity. The ids must exist. */
export const insertDatasetGroups = async (
  sql: Sql,
  groupId: string,
  ids: string[],
  capacity: string,
  revisionId: string,
): Promise<string[]> => idsOf(await sql.rows(statements.file, [groupId, ids, capacity, revisionId]));

/** Recomputes the tags of these datasets' documents. */
export async function refreshTags(sql: Sql, datasetIds: readonly string[]): Promise<void> {
  if (datasetIds.length > 0) await sql.rows(statements.tags, [datasetIds]);
}

/** Stores whether a resource's table is in the DataStore, in row and document. The dataset must be locked. */
export const writeTableActive = async (sql: Sql, resourceId: string, active: boolean): Promise<void> =>
  void (await sql.rows(statements.table, [resourceId, active]));
