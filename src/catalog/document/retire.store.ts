/** Deletes (marks) all datasets of an organization: rows, documents and their history, by set. */
import type { Sql, Statement } from '../../kernel/db.ts';
import { keepCopies } from './copies.ts';

const statements = {
  owned: {
    name: 'documents_owned',
    text: `SELECT id, name, title FROM dataset WHERE owner_organization_id = $1 AND state <> 'deleted' ORDER BY id FOR UPDATE`,
  },
  retire: {
    name: 'documents_retire',
    text: `WITH touched AS (UPDATE dataset SET state = 'deleted', revision_id = $2, modified_at = $3, version = version + 1
        WHERE owner_organization_id = $1 AND state <> 'deleted' RETURNING id, version),
      written AS (UPDATE dataset_document d SET state = 'deleted', modified_at = $3, version = t.version,
        document = (d.document::jsonb || jsonb_build_object('state', 'deleted', 'revision_id', $2::text, 'metadata_modified', $4::text))::text
        FROM touched t WHERE d.dataset_id = t.id RETURNING d.*)
      ${keepCopies('$2', '$3')}`,
  },
} satisfies Record<string, Statement>;

/** Datasets that an organization owns and that are not deleted, locked; by id. */
export const listOwned = (sql: Sql, organizationId: string): Promise<{ id: string; name: string; title: string }[]> =>
  sql.rows(statements.owned, [organizationId]);

/** Marks them deleted. The revision must be there already. `wireNow` is `now` as documents write it. */
export const retireOwned = async (
  sql: Sql,
  organizationId: string,
  revisionId: string,
  now: Date,
  wireNow: string,
): Promise<void> => void (await sql.rows(statements.retire, [organizationId, revisionId, now, wireNow]));
