/**
 * Reads the documents of a page that differ from the cached ones. In SQL because Prisma has no xmin, by which documents are compared. Each
 * statement sends the cached stamps and returns only changed documents.
 */
import type { DocumentRow } from '../../catalog/document/record.ts';
import { hidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement, Timeout } from '../../infra/postgres/db.ts';
import { GENERATION } from './facets.sql.ts';

/** Title of a group or organization; `g` is group_account. */
const TITLE = "COALESCE(NULLIF(g.title, ''), g.name)";

/** Whether this transaction or a later one has written anything. */
const IS_WRITTEN = 'COALESCE((SELECT written FROM dataset_search ORDER BY written DESC LIMIT 1) >= $1::xid8, false)';

const COLUMNS = [
  'dataset_id',
  'name',
  'state',
  'private',
  'owner_organization_id',
  'creator_id',
  'version',
  'linked',
  'document',
];

/** One row with common values and the numbers with valid stamps, and one row per changed document. */
const documents: Statement = {
  name: 'search_kept_documents',
  text: `WITH page AS (SELECT s.number, k.stamp AS kept, d.xmin::text || ' ' || d.version AS stamp, ${COLUMNS.map((name) => `d.${name}`).join(', ')}
      FROM unnest(${hidden('$2', 'int[]')}, ${hidden('$3', 'text[]')}) k(number, stamp) JOIN dataset_search s ON s.number = k.number JOIN dataset_document d ON d.dataset_id = s.dataset_id)
    SELECT ${GENERATION} AS generation, ${IS_WRITTEN} AS is_written,
      (SELECT json_object_agg(g.name, ${TITLE})::text FROM group_account g WHERE g.name = ANY (${hidden('$4', 'text[]')})) AS titles,
      (SELECT string_agg(p.number::text, ' ') FROM page p WHERE p.kept = p.stamp) AS same,
      NULL::int AS number, NULL AS stamp, NULL AS dataset_id, NULL AS name, NULL AS state, NULL::boolean AS private,
      NULL AS owner_organization_id, NULL AS creator_id, NULL::int AS version, NULL::boolean AS linked, NULL AS document
    UNION ALL SELECT NULL, NULL, NULL, NULL, p.number, p.stamp, ${COLUMNS.map((name) => `p.${name}`).join(', ')}
      FROM page p WHERE p.kept IS DISTINCT FROM p.stamp`,
};

/** The first row has the values listed before `number`, the other rows have the rest. */
export interface Answer extends DocumentRow {
  generation: string;
  is_written: boolean;
  titles: string | null;
  same: string | null;
  number: number | null;
  stamp: string;
  document: string;
}

/** The documents to show, and the transaction from which to look for writes. */
export interface RequestedPage {
  /** Null: not requested. */
  readonly since: string | null;
  readonly numbers: readonly number[];
  /** Names of groups and organizations. */
  readonly names: readonly string[];
  readonly timeout: Timeout;
}

/** Greater than any transaction's number. */
const NEVER = '18446744073709551615';

/** `stamps`: those of the cached documents, in the order of `numbers`. @throws CatalogError LIMIT */
export const readPage = (
  sql: Sql,
  { since, numbers, names, timeout }: RequestedPage,
  stamps: readonly (string | null)[],
): Promise<readonly Answer[]> => sql.rows<Answer>({ ...documents, timeout }, [since ?? NEVER, numbers, stamps, names]);
