/** Sets the state or visibility of many datasets. In SQL because Prisma has no CTE: one statement changes rows, documents and copies. */
import type { RowOf, Sql, Statement } from '../../infra/postgres/db.ts';
import { keepCopies } from './copies.ts';

/** The columns to set on all of them; omitted ones stay. */
export type BulkChange = Partial<RowOf<'Dataset', 'state' | 'private'>>;

export type Changing = RowOf<'Dataset', 'id' | 'name' | 'title' | 'state' | 'private'> & {
  readonly groupIds: readonly string[];
};

const statements = {
  lock: {
    name: 'bulk_lock',
    text: `SELECT id, name, title, state, private, ARRAY(SELECT f.group_id FROM dataset_group f WHERE f.dataset_id = dataset.id) AS "groupIds"
      FROM dataset WHERE owner_organization_id = $1 AND ($2::text[] IS NULL OR id = ANY ($2))
      AND (state <> COALESCE($3::text, state) OR private <> COALESCE($4::boolean, private)) ORDER BY id FOR UPDATE`,
  },
  set: {
    name: 'bulk_set',
    text: `WITH touched AS (UPDATE dataset SET state = COALESCE($4::text, state), private = COALESCE($5::boolean, private), revision_id = $2,
          modified_at = greatest($3, modified_at + interval '1 millisecond'), version = version + 1 WHERE id = ANY ($1)
          RETURNING id, version, state, private, modified_at),
      written AS (UPDATE dataset_document d SET state = t.state, private = t.private, modified_at = t.modified_at, version = t.version,
          document = (d.document::jsonb || jsonb_build_object('state', t.state, 'private', t.private, 'revision_id', $2::text,
            'metadata_modified', to_char(t.modified_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')))::text
        FROM touched t WHERE d.dataset_id = t.id RETURNING d.*)
      ${keepCopies('$2', 'modified_at')}`,
  },
} satisfies Record<string, Statement>;

/** Datasets of an organization, among these ids or (null) all, that the change would alter; locked, by id. */
export const lockChanging = (
  sql: Sql,
  organizationId: string,
  ids: readonly string[] | null,
  change: BulkChange,
): Promise<Changing[]> =>
  sql.rows(statements.lock, [organizationId, ids, change.state ?? null, change.private ?? null]);

/** Changes them. The revision must exist. */
export const setMany = async (
  sql: Sql,
  ids: readonly string[],
  change: BulkChange,
  revision: { readonly id: string; readonly now: Date },
): Promise<void> =>
  void (await sql.rows(statements.set, [ids, revision.id, revision.now, change.state ?? null, change.private ?? null]));
