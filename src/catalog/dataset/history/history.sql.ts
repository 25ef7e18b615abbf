/** Reads copies of datasets by page and by pairs of keys. In SQL because Prisma cannot join each row with its predecessor. */

import type { Counted } from '../../../infra/postgres/by-keys.sql.ts';
import { withHidden } from '../../../infra/postgres/columns.ts';
import type { RowOf, Sql, Statement } from '../../../infra/postgres/db.ts';
import type { Keyset } from '../../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey } from '../../../kernel/keyset.sql.ts';
import { readable } from '../../document/readable.ts';
import { DatasetRecord, type DocumentRow } from '../../document/record.ts';

/** A dataset's state after one revision, without its document, which is loaded on request. */
export type CopyRecord = RowOf<'DatasetHistory', 'datasetId' | 'revisionId' | 'version'> & {
  readonly at: Date;
  /** The revision of the previous copy, if the reader may see it; null for the first. */
  readonly before: string | null;
};

/** Key of a copy. */
export type CopyKey = Pick<CopyRecord, 'datasetId' | 'revisionId'>;

const DOCUMENT =
  'h.dataset_id, h.name, h.state, h.private, h.owner_organization_id, h.creator_id, h.version, h.document';
const COPY = 'h.dataset_id AS "datasetId", h.revision_id AS "revisionId", h.version, h.created_at AS at';

const KEYS: readonly SortKey[] = [{ sql: 'h.version', type: 'bigint', descending: true }];

const statements = {
  many: {
    name: 'history_documents',
    text: `SELECT h.revision_id, ${DOCUMENT} FROM unnest($1::text[], $2::text[]) AS k(dataset_id, revision_id)
      JOIN dataset_history h ON h.dataset_id = k.dataset_id AND h.revision_id = k.revision_id`,
  },
  counts: {
    name: 'history_counts',
    text: withHidden(`SELECT h.dataset_id AS id, count(*)::int AS n FROM dataset_history h WHERE h.dataset_id = ANY ($1::text[]) AND ${readable('h', 2)}
      GROUP BY h.dataset_id`),
  },
} satisfies Record<string, Statement>;

/** Copies in the order of their keys; null for a missing one. The caller checks the policy. */
export async function listCopies(sql: Sql, keys: readonly CopyKey[]): Promise<(DatasetRecord | null)[]> {
  const rows = await sql.rows<DocumentRow & { revision_id: string }>(statements.many, [
    keys.map(({ datasetId }) => datasetId),
    keys.map(({ revisionId }) => revisionId),
  ]);
  const found = new Map(rows.map((row) => [`${row.dataset_id} ${row.revision_id}`, row]));
  return keys.map(({ datasetId, revisionId }) => {
    const row = found.get(`${datasetId} ${revisionId}`);
    return row ? new DatasetRecord(row) : null;
  });
}

/** One page of each dataset's copies that the reader (readerOf) could see at that time, latest first, one more than its limit, in reading order. */
export function pagesOfCopies(
  sql: Sql,
  datasetIds: readonly string[],
  page: Keyset,
  reader: readonly unknown[],
): Promise<CopyRecord[]> {
  const order = orderOf(KEYS, page);
  const statement = {
    name: `history_pages_${formOf(page)}`,
    // The previous copy is searched among all copies: a hidden copy's content is not a change of its successor.
    text: `SELECT h.*, (SELECT p.revision_id FROM (SELECT * FROM dataset_history b WHERE b.dataset_id = h."datasetId"
        AND b.version < h.version ORDER BY b.version DESC LIMIT 1) AS p WHERE ${readable('p', 2)}) AS before
      FROM unnest($1::text[]) AS k(id) CROSS JOIN LATERAL (SELECT ${COPY} FROM dataset_history h
        WHERE h.dataset_id = k.id AND ${beyond(KEYS, page, 7)} AND ${readable('h', 2)} ORDER BY ${order} LIMIT $6) AS h
      ORDER BY h."datasetId", ${order}`,
  };
  return sql.rows(statement, [datasetIds, ...reader, page.limit + 1, ...(page.from ?? [])]);
}

/** Number of copies that the reader could see; datasets without any are omitted. */
export const countCopies = (sql: Sql, datasetIds: readonly string[], reader: readonly unknown[]): Promise<Counted[]> =>
  sql.rows(statements.counts, [datasetIds, ...reader]);
