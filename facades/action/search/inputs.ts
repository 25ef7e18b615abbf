import { invalid, invalidField } from '../../../src/kernel/errors.ts';
import { wireName } from '../../../src/records/form/names.ts';
import { absent, asList, asText, type Param } from '../params.ts';

/** One or several queries: a list, or one unchanged text. */
export const queries = (about: string): Param<string[] | undefined> => ({
  type: 'string or list of strings',
  required: false,
  about,
  read(raw) {
    if (absent(raw)) return undefined;
    if (Array.isArray(raw)) return raw.map(asText);
    const text = asText(raw);
    return text.trim().startsWith('["') ? asList(text) : [text];
  },
});

/** A parameter with a single valid value. */
export const only = (value: string, about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (absent(raw) || raw === value) return undefined;
    throw invalidField(name, `Only ${value} is supported`);
  },
});

/** Ruling 8: refuses unknown parameters by name. Ignores parameters of extensions, `ext_…`. */
export function refuseUnknown(raw: Readonly<Record<string, unknown>>, params: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(params, name) && !name.startsWith('ext_'));
  if (unknown.length > 0)
    throw invalid(
      unknown.slice(0, 10).map((given) => {
        const name = given.slice(0, 100);
        const message = 'Not a parameter of package_search';
        // When the graph uses another name, the message contains the parameter, because a path would be converted.
        return wireName(name) === name ? { path: [name], message } : { path: [], message: `${name}: ${message}` };
      }),
    );
}
