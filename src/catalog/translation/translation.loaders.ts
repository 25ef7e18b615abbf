import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { codesOf } from '../../kernel/languages.ts';
import { listTranslations } from './translation.sql.ts';

interface RequestedText {
  readonly term: string;
  readonly language: string;
}

export const translationLoaders = (call: Call) => ({
  /** Translation of a term into a language; null without one. */
  translationOf: new DataLoader<RequestedText, string | null, string>((requested) => translationsOf(call, requested), {
    cacheKeyFn: ({ term, language }) => `${language} ${term}`,
  }),
});

async function translationsOf(call: Call, requested: readonly RequestedText[]): Promise<(string | null)[]> {
  const terms = [...new Set(requested.map(({ term }) => term))];
  const languages = [...new Set(requested.flatMap(({ language }) => codesOf(language)))];
  const rows = await listTranslations(call.sql, { terms, languages }, null);
  const found = new Map(rows.map(({ term, language, translation }) => [`${language} ${term}`, translation]));
  return requested.map(({ term, language }) => {
    const code = codesOf(language).find((it) => found.has(`${it} ${term}`));
    return code === undefined ? null : found.get(`${code} ${term}`)!;
  });
}
