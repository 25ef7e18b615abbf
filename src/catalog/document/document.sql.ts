/** Rewrites what documents embed from other objects. In SQL because one statement rewrites the documents of a whole organization. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { keepCopies } from './copies.ts';

/** `ids` marks the datasets; their version grows, so ETags change with what is shown. */
const touched = (ids: string): string =>
  `touched AS (UPDATE dataset SET version = version + 1 WHERE id IN (${ids}) RETURNING id, version)`;

/** What browsers need to find a group's image: `imageAddress` in SQL. `siteUrl` is a parameter. */
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

const RELATED = `WITH ${touched('SELECT unnest($1::text[])')}, written AS (
    UPDATE dataset_document d SET version = touched.version, document = (d.document::jsonb || jsonb_build_object(
      'relationships_as_subject', ${relationshipsOf('subject_id')}, 'relationships_as_object', ${relationshipsOf('object_id')}))::text,
      linked = EXISTS (SELECT 1 FROM dataset_relationship r WHERE d.dataset_id IN (r.subject_id, r.object_id))
    FROM touched WHERE d.dataset_id = touched.id RETURNING d.*)`;

const statements = {
  relationships: { name: 'documents_refresh_relationships', text: `${RELATED} SELECT count(*) FROM written` },
  link: { name: 'documents_link', text: `${RELATED} ${keepCopies('$2', 'greatest($3, modified_at)')}` },
  groups: {
    name: 'documents_refresh_groups',
    text: `WITH ${touched('SELECT unnest($1::text[])')}
      UPDATE dataset_document d SET version = touched.version, document = jsonb_set(d.document::jsonb, '{groups}', ${GROUPS_OF})::text
      FROM touched WHERE d.dataset_id = touched.id`,
  },
  organization: {
    name: 'documents_refresh_organization',
    text: `WITH ${touched('SELECT id FROM dataset WHERE owner_organization_id = $1')}
      UPDATE dataset_document d SET version = touched.version, document = jsonb_set(d.document::jsonb, '{organization}', COALESCE((
        SELECT jsonb_build_object('id', g.id, 'name', g.name, 'title', g.title, 'description', g.description, 'image_url', g.image_url,
          'created', to_char(g.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), 'is_organization', g.is_organization,
          'type', g.type, 'state', g.state, 'approval_status', g.approval_status, 'revision_id', g.revision_id)
        FROM group_account g WHERE g.id = $1 AND g.state = 'active'), 'null'))::text
      FROM touched WHERE d.dataset_id = touched.id`,
  },
  release: {
    name: 'documents_release',
    text: `WITH touched AS (UPDATE dataset SET version = version + 1, owner_organization_id = NULL, revision_id = $2
        WHERE owner_organization_id = $1 RETURNING id, version)
      UPDATE dataset_document d SET version = touched.version, owner_organization_id = NULL,
        document = (d.document::jsonb || jsonb_build_object('organization', NULL, 'owner_org', NULL, 'revision_id', $2::text))::text
      FROM touched WHERE d.dataset_id = touched.id RETURNING d.dataset_id`,
  },
  file: {
    name: 'documents_file',
    text: `INSERT INTO dataset_group (id, dataset_id, group_id, capacity, revision_id)
      SELECT gen_random_uuid()::text, id, $1, $3, $4 FROM dataset WHERE id = ANY ($2)
      ON CONFLICT (dataset_id, group_id) DO UPDATE SET capacity = EXCLUDED.capacity, revision_id = EXCLUDED.revision_id
      RETURNING dataset_id`,
  },
  unfile: {
    name: 'documents_unfile',
    text: 'DELETE FROM dataset_group WHERE group_id = $1 AND ($2::text[] IS NULL OR dataset_id = ANY ($2)) RETURNING dataset_id',
  },
  dropTags: {
    name: 'documents_drop_tags',
    text: 'DELETE FROM dataset_tag WHERE tag_id = ANY ($1) RETURNING dataset_id',
  },
  tags: {
    name: 'documents_refresh_tags',
    text: `WITH ${touched('SELECT unnest($1::text[])')}, counted AS (
        SELECT d.dataset_id, ${TAGS_OF} AS tags FROM dataset_document d WHERE d.dataset_id = ANY ($1))
      UPDATE dataset_document d SET version = touched.version,
        document = (d.document::jsonb || jsonb_build_object('tags', c.tags, 'num_tags', jsonb_array_length(c.tags)))::text
      FROM touched JOIN counted c ON c.dataset_id = touched.id WHERE d.dataset_id = touched.id`,
  },
  lockOwner: {
    name: 'documents_lock_owner',
    text: 'SELECT id FROM dataset WHERE id = (SELECT dataset_id FROM resource WHERE id = $1) FOR UPDATE',
  },
  isThere: { name: 'documents_is_there', text: 'SELECT id FROM resource WHERE id = $1' },
  table: {
    name: 'documents_mark_table',
    text: `WITH marked AS (UPDATE resource SET datastore_active = $2, datastore_private = datastore_private AND $2
        WHERE id = $1 AND datastore_active <> $2 RETURNING dataset_id), ${touched('SELECT dataset_id FROM marked')}
      UPDATE dataset_document d SET version = touched.version, document = jsonb_set(d.document::jsonb, '{resources}', (
        SELECT jsonb_agg(CASE WHEN r.value ->> 'id' = $1 THEN r.value || jsonb_build_object('datastore_active', $2::boolean) ELSE r.value END
          ORDER BY r.ordinality)
        FROM jsonb_array_elements(d.document::jsonb -> 'resources') WITH ORDINALITY r))::text
      FROM touched WHERE d.dataset_id = touched.id`,
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

/** The same as a revision of these datasets, which must be there already. */
export const linkOwn = async (sql: Sql, datasetIds: readonly string[], revisionId: string, now: Date): Promise<void> =>
  void (await sql.rows(statements.link, [datasetIds, revisionId, now]));

/** Recomputes `organization` in the documents of everything the organization owns. */
export const refreshOrganization = async (sql: Sql, id: string): Promise<void> =>
  void (await sql.rows(statements.organization, [id]));

/** Takes the owner from everything the organization owns. Private datasets stay private: only sysadmins see them then. */
export const releaseOwned = async (sql: Sql, id: string, revisionId: string): Promise<string[]> =>
  idsOf(await sql.rows(statements.release, [id, revisionId]));

/** Files datasets under a group; those already there take the capacity. Ids of datasets that exist. */
export const insertDatasetGroups = async (
  sql: Sql,
  groupId: string,
  ids: string[],
  capacity: string,
  revisionId: string,
): Promise<string[]> => idsOf(await sql.rows(statements.file, [groupId, ids, capacity, revisionId]));

/** Takes datasets (null: all) out of a group. Ids of those that were in it. */
export const deleteDatasetGroups = async (sql: Sql, groupId: string, ids: string[] | null): Promise<string[]> =>
  idsOf(await sql.rows(statements.unfile, [groupId, ids]));

/** Takes tags off all datasets and recomputes their documents. Ids of the datasets. */
export async function dropTags(sql: Sql, tagIds: string[]): Promise<string[]> {
  const ids = idsOf(await sql.rows(statements.dropTags, [tagIds]));
  if (ids.length > 0) await sql.rows(statements.tags, [ids]);
  return ids;
}

/** Sets whether a resource's table is in the DataStore, in row and document. The dataset is locked first, as all writers do. False where there is no such resource. */
export async function setTableActive(sql: Sql, resourceId: string, active: boolean): Promise<boolean> {
  await sql.rows(statements.lockOwner, [resourceId]);
  await sql.rows(statements.table, [resourceId, active]);
  return (await sql.rows(statements.isThere, [resourceId])).length > 0;
}
