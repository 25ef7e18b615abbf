/** Parameter readers of the translation actions. */
import { invalid, invalidField, type Problem } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { jsonIn } from '../../../src/records/form/readers.ts';
import { absent, asText, type Param } from '../params.ts';

/** A list of terms, or one; null when omitted. Does not split at commas, because terms may contain them. */
export const terms = (about: string, needed: boolean): Param<string[] | null> => ({
  type: 'list of strings',
  required: needed,
  about,
  read(raw, name) {
    if (absent(raw)) {
      if (needed) throw invalidField(name, `${name} not in data`);
      return null;
    }
    const items = Array.isArray(raw) ? raw : listIn(raw);
    return items.length === 0 ? null : items.map(asText);
  },
});

/** A JSON list in a query value, or the value itself. */
function listIn(raw: unknown): unknown[] {
  if (typeof raw !== 'string' || !raw.trimStart().startsWith('[')) return [raw];
  try {
    const parsed: unknown = jsonIn(raw);
    return Array.isArray(parsed) ? parsed : [raw];
  } catch {
    return [raw];
  }
}

interface Translation {
  readonly term: string;
  readonly translation: string;
  readonly language: string;
}

const KEYS = { term: 'term', term_translation: 'translation', lang_code: 'language' } as const;

/** A list of translation dictionaries. By the contract, reports only the first invalid one, by its keys. @throws CatalogError VALIDATION */
export const translations = (about: string): Param<Translation[]> => ({
  type: 'list of dictionaries',
  required: true,
  about,
  read(raw) {
    if (!Array.isArray(raw) || !raw.every(isObject))
      throw invalidField('error', 'term_translation_update_many needs to have a list of dicts in field data');
    return raw.map(translation);
  },
});

function translation(item: Record<string, unknown>): Translation {
  const read: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const [key, name] of Object.entries(KEYS)) {
    const value = Object.hasOwn(item, key) ? item[key] : null;
    if (value === undefined || value === null || value === '') problems.push({ path: [key], message: 'Missing value' });
    else read[name] = asText(value);
  }
  if (problems.length > 0) throw invalid(problems);
  return read as unknown as Translation;
}
