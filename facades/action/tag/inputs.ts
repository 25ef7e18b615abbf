/** Parameter readers of the tag and vocabulary actions. */
import { invalid, type Problem } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { jsonIn } from '../../../src/records/form/readers.ts';
import { absent, asList, asText, type Param } from '../params.ts';

const problem = (path: (string | number)[], message: string): Error => invalid([{ path, message }]);

/** Required, with the older error text of the vocabulary actions. @throws CatalogError VALIDATION "id not in data" */
export const inData = (about: string): Param<string> => ({
  type: 'string',
  required: true,
  about,
  read(raw, name) {
    if (absent(raw)) throw problem([name], `${name} not in data`);
    return asText(raw);
  },
});

/** Must be omitted, because the server generates it. @throws CatalogError VALIDATION */
export const notExpected = (about: string): Param<undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (raw !== undefined && raw !== null && raw !== '')
      throw problem([name], `The input field ${name} was not expected.`);
    return undefined;
  },
});

/** Names of a list of tags: objects with a name, or (as an extension) plain names; undefined when omitted. Ignores other keys. */
export const tagNames = (about: string): Param<string[] | undefined> => ({
  type: 'list of tag dictionaries',
  required: false,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null) return undefined;
    const items: unknown[] | null = Array.isArray(raw) ? raw : isObject(raw) ? [raw] : null;
    if (items === null) throw problem([name], 'Must be a list of tags, such as [{"name": "air"}]');
    const problems: Problem[] = [];
    const names = items.map((item, index) => {
      const tagName = isObject(item) ? item.name : item;
      if (typeof tagName === 'string' || typeof tagName === 'number') return String(tagName);
      problems.push({ path: [name, index, 'name'], message: 'Missing value' });
      return '';
    });
    if (problems.length > 0) throw invalid(problems);
    return names;
  },
});

/** The deprecated `fields` of tag searches: words under `tag` or `tags`; undefined when omitted. */
export const tagFields = (about: string): Param<string[] | undefined> => ({
  type: 'dictionary',
  required: false,
  deprecated: true,
  about,
  read(raw) {
    if (absent(raw)) return undefined;
    const fields = typeof raw === 'string' ? parsed(raw) : raw;
    if (!isObject(fields)) return [];
    return ['tag', 'tags'].flatMap((key) => (Object.hasOwn(fields, key) ? asList(fields[key]) : []));
  },
});

function parsed(text: string): unknown {
  try {
    return jsonIn(text);
  } catch {
    return null;
  }
}

/** Removes undefined fields, because an input would read `undefined` as null. */
export const defined = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** Words of a tag search: `query`, otherwise `q`, and those of `fields`. @throws CatalogError VALIDATION when all three are omitted */
export function searchWords(p: { query?: string[]; q?: string[]; fields?: string[] }): string[] {
  const words = p.query ?? p.q;
  if (words === undefined && p.fields === undefined) throw problem(['query'], 'Missing value');
  return [...(words ?? []), ...(p.fields ?? [])];
}
