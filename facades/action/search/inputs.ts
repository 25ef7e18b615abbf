import { invalid } from '../../../src/kernel/errors.ts';
import { wireName } from '../../shared/wire/names.ts';
import { asList, asText, type Param } from '../params.ts';

/** A query or several of them: a list, or one text as it stands. */
export const queries = (about: string): Param<string[] | undefined> => ({
  type: 'string or list of strings',
  required: false,
  about,
  read(raw) {
    if (raw === undefined || raw === null || raw === '') return undefined;
    if (Array.isArray(raw)) return raw.map(asText);
    const text = asText(raw);
    return text.trim().startsWith('["') ? asList(text) : [text];
  },
});

/** A parameter that can say one thing. */
export const only = (value: string, about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null || raw === '' || raw === value) return undefined;
    throw invalid([{ path: [name], message: `Only ${value} is supported` }]);
  },
});

/** Ruling 8: parameters that are not known are refused by name. Those of extensions, `ext_…`, are nobody's here. */
export function refuseUnknown(raw: Readonly<Record<string, unknown>>, params: Readonly<Record<string, unknown>>): void {
  const unknown = Object.keys(raw).filter((name) => !Object.hasOwn(params, name) && !name.startsWith('ext_'));
  if (unknown.length > 0)
    throw invalid(
      unknown.slice(0, 10).map((given) => {
        const name = given.slice(0, 100);
        const message = 'Not a parameter of package_search';
        // What the graph calls something by another name is named in the text: as a key it would be taken for that.
        return wireName(name) === name ? { path: [name], message } : { path: [], message: `${name}: ${message}` };
      }),
    );
}
