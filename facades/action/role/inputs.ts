/** Parameter readers of the role actions. */
import { invalid, invalidField, type Problem } from '../../../src/kernel/errors.ts';
import { isObject } from '../../../src/kernel/json.ts';
import { asList, asText, type Param } from '../params.ts';

const absent = (raw: unknown): boolean => raw === undefined || raw === null;

/** Input of user_role_update. By the contract, reports only the first missing parameter. @throws CatalogError VALIDATION */
export function provided({ user, domain_object, roles }: { user?: string; domain_object?: string; roles?: string[] }) {
  const missing = (name: string): Error =>
    invalid([{ path: [], message: `You must provide the "${name}" parameter.` }]);
  if (user === undefined) throw missing('user');
  if (domain_object === undefined) throw missing('domain_object');
  if (roles === undefined) throw missing('roles');
  return { user, domainObject: domain_object, roles };
}

/** A list of dictionaries with `user` and `roles`. @throws CatalogError VALIDATION */
export const userRoles = (about: string): Param<{ user: string; roles: string[] }[]> => ({
  type: 'list of dictionaries',
  required: true,
  about,
  read(raw, name) {
    if (absent(raw)) throw invalidField(name, 'Missing value');
    if (!Array.isArray(raw) || !raw.every(isObject))
      throw invalidField(name, 'Must be a list such as [{"user": "jo", "roles": ["editor"]}]');
    const problems: Problem[] = raw.flatMap((item, index) =>
      ['user', 'roles']
        .filter((key) => !Object.hasOwn(item, key) || absent(item[key]))
        .map((key) => ({ path: [name, index, key], message: 'Missing value' })),
    );
    if (problems.length > 0) throw invalid(problems);
    return raw.map((item) => ({ user: asText(item.user), roles: asList(item.roles) }));
  },
});
