import { createHash } from 'node:crypto';
import { recordRevision } from '../../changes/changes.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { mayTranslate } from './translation.policy.ts';
import { checkTranslations } from './translation.rules.ts';
import {
  countTranslations,
  type ListedTranslation,
  listTranslations,
  putTranslations,
  type TranslationChoice,
  type TranslationRecord,
} from './translation.sql.ts';

/** The backing type of TermTranslationConnection. */
export type TranslationConnectionRecord = Connection<ListedTranslation>;

interface Filter {
  readonly terms?: readonly string[] | null;
  readonly languages?: readonly string[] | null;
}

/** A page of translations in the order of creation. @throws CatalogError LIMIT, VALIDATION (cursor). */
export async function translationConnection(call: Call, args: Filter & PageArgs): Promise<TranslationConnectionRecord> {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  const choice = chosen(args);
  const rows = await listTranslations(call.sql, choice, page);
  return connection(
    rows,
    page,
    (row) => [row.sequence],
    () => countTranslations(call.sql, choice),
  );
}

/** All of them, in the same order. */
export const translationList = (call: Call, args: Filter): Promise<TranslationRecord[]> =>
  listTranslations(call.sql, chosen(args), null);

/**
 * Adds or replaces translations atomically; returns their new values. @throws CatalogError NOT_AUTHORIZED, VALIDATION
 * (all problems at once).
 */
export async function translationsSet(
  call: Call,
  { translations }: { translations: readonly TranslationRecord[] },
): Promise<TranslationRecord[]> {
  allow(mayTranslate(call.actor));
  refuse(checkTranslations(translations));
  const requested = new Map(translations.map((translation) => [keyOf(translation), translation]));
  if (requested.size === 0) return [];
  await inTransaction(call, async (call) => {
    const written = await putTranslations(call.sql, [...requested.values()]);
    await recordRevision(
      call,
      newId(),
      `Translate ${requested.size === 1 ? `term ${translations[0]!.term}` : `${requested.size} terms`}`,
      written.map((row) => ({
        objectType: 'translation',
        objectId: objectIdOf(row),
        action: row.added ? 'created' : 'updated',
        detail: { ...requested.get(keyOf(row)) },
      })),
    );
  });
  return [...requested.values()];
}

/** Longest term in an object id, which the change log's index holds. A longer one has its SHA-256 there. */
const MAX_TERM = 500;
const objectIdOf = ({ term, language }: { term: string; language: string }): string =>
  keyOf({ language, term: term.length > MAX_TERM ? createHash('sha256').update(term).digest('hex') : term });
const keyOf = ({ term, language }: { term: string; language: string }): string => `${language} ${term}`;

const chosen = ({ terms, languages }: Filter): TranslationChoice => ({
  terms: terms ?? null,
  languages: languages ?? null,
});
