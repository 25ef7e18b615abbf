/**
 * Reads and writes translations of terms, in the order of creation. In SQL because Prisma has no upsert of several rows, cannot use the
 * index of each term's MD5, and refuses more than 32,767 values.
 */
import { firstValue, type RowOf, type Sql, type Statement } from '../../infra/postgres/db.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { beyond, formOf, orderOf, type SortKey, WHOLE } from '../../kernel/keyset.sql.ts';

export type TranslationRecord = RowOf<'TermTranslation', 'term' | 'translation' | 'language'>;

/** A translation and its position among all. */
export type ListedTranslation = TranslationRecord & { readonly sequence: number };

/** Filter of translations; null without a condition. */
export interface TranslationChoice {
  readonly terms: readonly string[] | null;
  readonly languages: readonly string[] | null;
}

// The index holds the MD5 of terms; the terms themselves are compared as well.
const chosen = (name: string, columns: string, end = ''): Statement => ({
  name: `term_translations_${name}`,
  text: `SELECT ${columns} FROM term_translation t
    WHERE ($1::text[] IS NULL OR (md5(t.term) IN (SELECT md5(w) FROM unnest($1::text[]) AS w) AND t.term = ANY ($1)))
    AND ($2::text[] IS NULL OR t.language = ANY ($2)) ${end}`,
});

const KEYS: readonly SortKey[] = [{ sql: 't.sequence', type: 'bigint' }];

const statements = {
  count: chosen('count', 'count(*)::int AS n'),
  put: {
    name: 'term_translations_put',
    // Serializes writers: two that write the same terms in different orders would deadlock.
    text: `WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtext('term_translation'))::text)
      INSERT INTO term_translation (term, translation, language)
      SELECT w.term, w.translation, w.language FROM turn CROSS JOIN unnest($1::text[], $2::text[], $3::text[])
        WITH ORDINALITY AS w(term, translation, language, position) ORDER BY w.position
      ON CONFLICT (md5(term), language) DO UPDATE SET translation = EXCLUDED.translation
      RETURNING term, language, xmax = 0 AS added`,
  },
} satisfies Record<string, Statement>;

/** A page of translations (one more than its limit), or all; in reading order. */
export function listTranslations(
  sql: Sql,
  { terms, languages }: TranslationChoice,
  page: Keyset | null,
): Promise<ListedTranslation[]> {
  const { limit, from } = page ?? WHOLE;
  const columns = 't.term, t.translation, t.language, t.sequence::float8 AS sequence';
  const end = `AND ${beyond(KEYS, page ?? WHOLE, 4)} ORDER BY ${orderOf(KEYS, page ?? WHOLE)} LIMIT $3::bigint`;
  const statement = chosen(`list_${formOf(page ?? WHOLE)}`, columns, end);
  return sql.rows(statement, [terms, languages, limit + 1, ...(from ?? [])]);
}

export const countTranslations = (sql: Sql, { terms, languages }: TranslationChoice): Promise<number> =>
  firstValue(sql, statements.count, [terms, languages]);

/** Adds or replaces; each term and language at most once. Returns which are new. */
export const putTranslations = (
  sql: Sql,
  translations: readonly TranslationRecord[],
): Promise<(Omit<TranslationRecord, 'translation'> & { added: boolean })[]> =>
  sql.rows(statements.put, [
    translations.map(({ term }) => term),
    translations.map(({ translation }) => translation),
    translations.map(({ language }) => language),
  ]);
