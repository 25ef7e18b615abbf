/** Lists links by verdict, by the policy of their dataset (readable.ts). In SQL because Prisma has no timeout of one statement. */

import { readable, type readerOf } from '../catalog/document/readable.ts';
import type { ListedResource } from '../catalog/resource/pages.sql.ts';
import type { Sql, Timeout } from '../infra/postgres/db.ts';
import type { Keyset } from '../kernel/connection.ts';
import { beyond, keyColumn, orderOf, type SortKey } from '../kernel/keyset.sql.ts';

/** Longest first. */
export const LINK_KEYS: readonly SortKey[] = [
  { sql: 'l.since', type: 'instant' },
  { sql: 'l.resource_id', type: 'text' },
];

export interface LinkChoice {
  readonly verdict: string;
  /** Id of the owner organization; null for any. */
  readonly organization: string | null;
  readonly reader: ReturnType<typeof readerOf>;
}

const CHOSEN = `FROM resource_link l JOIN resource r ON r.id = l.resource_id JOIN dataset_document d ON d.dataset_id = r.dataset_id
  WHERE l.verdict = $1 AND ($2::text IS NULL OR d.owner_organization_id = $2) AND d.state = 'active' AND r.state = 'active'
    AND ${readable('d', 3)}`;
const chosen = ({ verdict, organization, reader }: LinkChoice) => [verdict, organization, ...reader];

/** A page of links, one more than its limit, in reading order. */
export const pageOfLinks = (sql: Sql, choice: LinkChoice, page: Keyset, timeout: Timeout): Promise<ListedResource[]> =>
  sql.rows(
    {
      text: `SELECT r.id, r.dataset_id AS "datasetId", ${keyColumn(LINK_KEYS)} ${CHOSEN} AND ${beyond(LINK_KEYS, page, 8)}
        ORDER BY ${orderOf(LINK_KEYS, page)} LIMIT $7`,
      timeout,
    },
    [...chosen(choice), page.limit + 1, ...(page.from ?? [])],
  );

export const countLinks = async (sql: Sql, choice: LinkChoice, timeout: Timeout): Promise<number> =>
  (await sql.rows<{ n: number }>({ text: `SELECT count(*)::int AS n ${CHOSEN}`, timeout }, chosen(choice)))[0]!.n;
