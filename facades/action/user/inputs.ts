/** Parameter readers and result shapes of the user actions. */

import type { ActionUserDictFragment, UserSort } from '../../../src/generated/operations.ts';
import { invalid, invalidField } from '../../../src/kernel/errors.ts';
import { asText, type Param } from '../params.ts';

/** A name, which must be a string. @throws CatalogError VALIDATION with the contract's two texts */
export const nameText = (about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (raw === undefined || raw === null) return undefined;
    if (typeof raw !== 'string')
      throw invalid(
        ['Names must be strings', 'User names must be strings'].map((message) => ({ path: [name], message })),
      );
    return raw;
  },
});

/** A password, which must be a string. @throws CatalogError VALIDATION "Passwords must be strings" */
export const passwordText = (about: string): Param<string | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (raw === undefined || typeof raw === 'string') return raw;
    throw invalidField(name, NO_STRING);
  },
});
const NO_STRING = 'Passwords must be strings';

/** Password of a new user: an empty value of another type counts as missing too. @throws CatalogError VALIDATION */
export const newPassword = (param: Param<string | undefined>): Param<string | undefined> => ({
  ...param,
  read(raw, name) {
    const isEmpty = raw === null || raw === 0 || raw === false || (typeof raw === 'object' && isEmptyObject(raw));
    if (!isEmpty) return param.read(raw, name);
    throw invalid([NO_STRING, 'Missing value'].map((message) => ({ path: [name], message })));
  },
});
const isEmptyObject = (raw: object): boolean => Object.keys(raw).length === 0;

/** Id or name of the user in a dictionary, or the text itself; undefined when it names no user. */
export const userObject = (about: string): Param<string | undefined> => ({
  type: 'user dictionary',
  required: false,
  about,
  read(raw) {
    if (raw === undefined || raw === null) return undefined;
    if (typeof raw !== 'object') return asText(raw);
    const { id, name } = raw as { id?: unknown; name?: unknown };
    return id || name ? asText(id || name) : undefined;
  },
});

/** Removes undefined fields, because compiled operations treat undefined as null, which clears a field. */
export const defined = <Fields extends object>(fields: Fields): Partial<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>;

const ORDERS: Readonly<Record<string, UserSort>> = {
  id: 'ID',
  about: 'ABOUT',
  openid: 'OPEN_ID',
  created: 'CREATED',
  sysadmin: 'SYSADMIN',
  edits: 'EDITS',
  number_of_edits: 'EDITS',
  number_created_packages: 'DATASETS',
};

/** Sort field of `order_by`: the display name for fields that are not public, including e-mail addresses and keys. */
export const userOrder = (field: string | undefined): UserSort =>
  field !== undefined && Object.hasOwn(ORDERS, field) ? ORDERS[field]! : 'NAME';

/** The wire dictionary. `email` and `apikey` are present only for callers who may see the account, an image only when there is one. */
export function userDictionary<User extends ActionUserDictFragment>({
  viewerSeesAccount,
  email,
  apikey,
  image_url,
  image_display_url,
  ...user
}: User) {
  return {
    ...user,
    ...(image_url && { image_url, image_display_url }),
    created: user.created.replace(/Z$/, '000'),
    ...(viewerSeesAccount && { email, apikey }),
  };
}
