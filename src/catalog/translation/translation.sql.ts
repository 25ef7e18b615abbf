/**
 * Translations of terms, in the order of creation. In SQL because the index holds a term's MD5, callers name any number
 * of terms (Prisma refuses more than 32,767 values), and one statement writes as many.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';

export interface TranslationRecord {
  readonly term: string;
  readonly translation: string;
  readonly language: string;
}

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

const statements = {
  list: chosen(
    'list',
    't.term, t.translation, t.language, t.sequence::float8 AS sequence',
    'AND ($3::bigint IS NULL OR t.sequence > $3) ORDER BY t.sequence LIMIT $4::int',
  ),
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

/** Up to `limit` translations after one (null: from the start); a null limit returns all. */
export const listTranslations = (
  sql: Sql,
  { terms, languages }: TranslationChoice,
  after: number | null,
  limit: number | null,
): Promise<ListedTranslation[]> => sql.rows(statements.list, [terms, languages, after, limit]);

export const countTranslations = async (sql: Sql, { terms, languages }: TranslationChoice): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.count, [terms, languages]))[0]!.n;

/** Adds or replaces; each term and language at most once. Returns which are new. */
export const putTranslations = (
  sql: Sql,
  translations: readonly TranslationRecord[],
): Promise<{ term: string; language: string; added: boolean }[]> =>
  sql.rows(statements.put, [
    translations.map(({ term }) => term),
    translations.map(({ translation }) => translation),
    translations.map(({ language }) => language),
  ]);
