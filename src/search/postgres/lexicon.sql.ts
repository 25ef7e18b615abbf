/** Reads the indexed words. In SQL because Prisma cannot read words of a tsvector. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { GENERATION } from './facets.sql.ts';

const words = (column: string): string =>
  `ARRAY(SELECT DISTINCT w FROM dataset_search s, unnest(tsvector_to_array(s.${column})) w WHERE s.written >= $1::xid8)`;
const written: Statement = {
  name: 'search_words_written',
  text: `SELECT ${GENERATION} AS generation, pg_snapshot_xmin(pg_current_snapshot())::text AS since, ${words('words')} AS words, ${words('field_words')} AS field_words`,
};

export interface WrittenWords {
  readonly generation: string;
  readonly since: string;
  readonly words: readonly string[];
  readonly field_words: readonly string[];
}

/** Words of the rows written by a transaction or by later ones. */
export const readWords = async (sql: Sql, since: string): Promise<WrittenWords> =>
  (await sql.rows<WrittenWords>(written, [since]))[0]!;
