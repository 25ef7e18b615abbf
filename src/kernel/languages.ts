/** Texts in the language of a reader: codes of languages, and translations that an object has itself. Pure. */

/** A code such as `de`, `pt_BR` or `zh-Hant-TW`. */
const CODE = /^[a-z]{2,8}(?:[-_][a-z0-9]{1,8}){0,3}$/i;

/** Codes under which translations for a language are stored, best first: `de_AT` → `de_AT`, `de-AT`, `de`. Empty for other text. */
export function codesOf(language: string): string[] {
  if (!CODE.test(language)) return [];
  const base = language.split(/[-_]/, 1)[0]!;
  return [
    ...new Set([language, language.replaceAll('-', '_'), language.replaceAll('_', '-'), base, base.toLowerCase()]),
  ];
}

/** The text for a language in an object such as `{"en": "Rivers", "de": "Flüsse"}`, or in its JSON. Null without one. */
export function textIn(language: string, texts: unknown): string | null {
  const map = typeof texts === 'string' ? parsed(texts) : texts;
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return null;
  for (const code of codesOf(language)) {
    const text = Object.hasOwn(map, code) ? (map as Record<string, unknown>)[code] : undefined;
    if (typeof text === 'string' && text.trim() !== '') return text;
  }
  return null;
}

function parsed(text: string): unknown {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Loads the translation of a term; null without one. */
interface TermTranslations {
  readonly translationOf: { load(key: { term: string; language: string }): Promise<string | null> };
}

/** A text in a language: from the object's own translations, or else a term translation, or else as it is. */
export function localized<Text extends string | null>(
  text: Text,
  language: string | null | undefined,
  { translationOf }: TermTranslations,
  own?: unknown,
): Text | string | Promise<Text | string> {
  if (!language || !text) return text;
  const found = textIn(language, own);
  if (found !== null) return found;
  return codesOf(language).length === 0
    ? text
    : translationOf.load({ term: text, language }).then((translation) => translation ?? text);
}

/** Applies `work` to a text that may still be loading. */
export const loaded = <Text, Result>(
  text: Text | Promise<Text>,
  work: (text: Text) => Result,
): Result | Promise<Result> => (text instanceof Promise ? text.then(work) : work(text));
