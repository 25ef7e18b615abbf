import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { codesOf } from '../../kernel/languages.ts';
import { listTranslations } from './translation.sql.ts';

interface Wanted {
  readonly term: string;
  readonly language: string;
}

export const translationLoaders = (call: Call) => ({
  /** Translation of a term into a language; null without one. */
  translationOf: new DataLoader<Wanted, string | null, string>((wanted) => translationsOf(call, wanted), {
    cacheKeyFn: ({ term, language }) => `${language} ${term}`,
  }),
});

async function translationsOf(call: Call, wanted: readonly Wanted[]): Promise<(string | null)[]> {
  const terms = [...new Set(wanted.map(({ term }) => term))];
  const languages = [...new Set(wanted.flatMap(({ language }) => codesOf(language)))];
  const rows = await listTranslations(call.sql, { terms, languages }, null);
  const found = new Map(rows.map(({ term, language, translation }) => [`${language} ${term}`, translation]));
  return wanted.map(({ term, language }) => {
    const code = codesOf(language).find((it) => found.has(`${it} ${term}`));
    return code === undefined ? null : found.get(`${code} ${term}`)!;
  });
}
