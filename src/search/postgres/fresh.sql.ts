/** Reads rows written since a transaction, by the conditions of the search. In SQL because Prisma has no xid8 and no tsvector. */
import type { Sql } from '../../infra/postgres/db.ts';
import type { Search } from '../engine.ts';
import type { FacetRow } from './columns.ts';
import { facetRow, type RowJson } from './facets.sql.ts';
import { freshStatement } from './statement.ts';

/** A row written since, and its score. */
export interface Fresh extends FacetRow {
  readonly score: number;
}

/** All rows written since, and those that match. */
export async function readFresh(
  sql: Sql,
  search: Search,
  since: string,
): Promise<{ written: FacetRow[]; fresh: Fresh[] }> {
  const statement = freshStatement(search, since);
  const [row] = await sql.rows<{ rows: string | null }>(statement, statement.values);
  const found = (row!.rows === null ? [] : JSON.parse(row!.rows)) as [...RowJson, boolean, number | null][];
  const fresh: Fresh[] = [];
  const written = found.map((json) => {
    const [fits, score] = json.slice(-2) as [boolean, number | null];
    const own = facetRow(json as unknown as RowJson);
    if (fits) fresh.push({ ...own, score: score ?? 0 });
    return own;
  });
  return { written, fresh };
}
