/** Readers of the role actions' own wire forms. */
import { invalid, type Problem } from '../../../src/kernel/errors.ts';
import { asList, asText, type Param } from '../params.ts';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const absent = (raw: unknown): boolean => raw === undefined || raw === null;

/** Must be there; whether it is is said by `provided`. */
export const needed = (type: string, about: string): Param<unknown> => ({
  type,
  required: true,
  about,
  read: (raw) => raw,
});

/** The input of user_role_update; of missing parameters the first is told, as recorded. @throws CatalogError VALIDATION */
export function provided(params: { user: unknown; domain_object: unknown; roles: unknown }) {
  for (const [name, value] of Object.entries(params))
    if (absent(value)) throw invalid([{ path: [], message: `You must provide the "${name}" parameter.` }]);
  return { user: asText(params.user), domainObject: asText(params.domain_object), roles: asList(params.roles) };
}

/** A list of dictionaries with `user` and `roles`. @throws CatalogError VALIDATION */
export const userRoles = (about: string): Param<{ user: string; roles: string[] }[]> => ({
  type: 'list of dictionaries',
  required: true,
  about,
  read(raw, name) {
    if (absent(raw)) throw invalid([{ path: [name], message: 'Missing value' }]);
    if (!Array.isArray(raw) || !raw.every(isObject))
      throw invalid([{ path: [name], message: 'Must be a list such as [{"user": "jo", "roles": ["editor"]}]' }]);
    const problems: Problem[] = raw.flatMap((item, index) =>
      ['user', 'roles']
        .filter((key) => !Object.hasOwn(item, key) || absent(item[key]))
        .map((key) => ({ path: [name, index, key], message: 'Missing value' })),
    );
    if (problems.length > 0) throw invalid(problems);
    return raw.map((item) => ({ user: asText(item.user), roles: asList(item.roles) }));
  },
});
