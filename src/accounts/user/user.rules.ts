/** Validation of users. Pure; uses the texts that Action API clients know. */
import { MAX_ADDRESS } from '../../infra/mail.ts';
import type { Problem } from '../../kernel/errors.ts';
import { slugFaults } from '../../kernel/slug.ts';
import { compareText, lengthOf } from '../../kernel/text.ts';
import type { UserRecord } from './user.store.ts';

/** Users choose eight characters or more; a sysadmin may set as few as CKAN allows for other users. */
export const PASSWORD = { min: 8, minBySysadmin: 4, max: 1_000 } as const;

/** Paths below `/user/` that are not user pages. */
const NAME = { reserved: new Set(['new', 'edit', 'search', 'login', 'logout', 'register', 'reset', 'apikey']) };
const STATES = ['active', 'pending', 'deleted'];
/** Characters that an HTTP header transmits unchanged. */
const API_KEY = /^[\x21-\x7e]{1,200}$/;

/** Fields to write; undefined ones are not checked. */
export interface UserFields {
  readonly name?: string;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly state?: string;
}

/** Fields that only a new user has. */
export interface NewUserFields {
  readonly databaseId?: string;
  readonly apiKey?: string;
}

/** Values that other users already have. */
export interface Taken {
  readonly name: boolean;
  readonly id: boolean;
  readonly apiKey: boolean;
}

/** Problems of an e-mail address: missing, or too long. Its form is not checked, as in CKAN. */
export const checkEmail = (email: string | null): string[] => {
  if (!email) return ['Missing value'];
  return email.length > MAX_ADDRESS ? [`Must be at most ${MAX_ADDRESS} characters long`] : [];
};

/** Problems of the fields in the input, all at once. `minLength`: minimum characters of a password. */
export function checkUser(fields: UserFields, taken: Pick<Taken, 'name'>, minLength: number = PASSWORD.min): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, messages: readonly string[]) =>
    problems.push(...messages.map((message) => ({ path: [field], message })));
  if (fields.name !== undefined) {
    add('name', slugFaults(fields.name, NAME));
    if (taken.name) add('name', ['That login name is not available.']);
  }
  if (fields.email !== undefined) add('email', checkEmail(fields.email));
  if (fields.password !== undefined) add('password', checkPassword(fields.password ?? '', minLength));
  if (fields.state !== undefined && !STATES.includes(fields.state))
    add('state', [`Must be one of ${STATES.join(', ')}`]);
  return problems;
}

/** Problems of an id or API key in the input. `allowed`: whether the caller may choose them. */
export function checkChosen({ databaseId, apiKey }: NewUserFields, taken: Taken, allowed: boolean): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [field], message });
  for (const [field, value] of Object.entries({ databaseId, apiKey })) {
    if (value !== undefined && !allowed) add(field, 'Only system administrators may set it');
  }
  if (!allowed) return problems;
  if (databaseId !== undefined && (databaseId === '' || databaseId.length > 100))
    add('databaseId', 'Must be 1 to 100 characters long');
  if (taken.id) add('databaseId', 'User id already exists');
  if (apiKey !== undefined && !API_KEY.test(apiKey)) add('apiKey', 'Must be 1 to 200 ASCII characters without spaces');
  if (taken.apiKey) add('apiKey', 'That API key is not available.');
  return problems;
}

/** Problems of a password. Characters are code points. */
function checkPassword(password: string, minLength: number): string[] {
  if (password === '') return ['Missing value'];
  const length = lengthOf(password, PASSWORD.max);
  if (length < minLength) return [`Your password must be ${minLength} characters or longer`];
  return length > PASSWORD.max ? [`Your password must be ${PASSWORD.max} characters or shorter`] : [];
}

/** A user name for an e-mail address: the valid characters before the @, and a number. */
export function nameFromEmail(email: string, number: number): string {
  const start = (email.toLowerCase().split('@', 1)[0] as string).replace(/[^a-z0-9_-]+/g, '-').slice(0, 90);
  return `${start.replace(/^-+|-+$/g, '') || 'user'}-${number}`;
}

/** Orders of user_list by a column, for users sorted by display name, which breaks ties. */
const ORDERS = {
  NAME: () => 0,
  ID: (a, b) => compareText(a.id, b.id),
  ABOUT: (a, b) => compareOptional(a.about, b.about),
  OPEN_ID: (a, b) => compareOptional(a.openId, b.openId),
  CREATED: (a, b) => a.createdAt.getTime() - b.createdAt.getTime(),
  SYSADMIN: (a, b) => Number(a.sysadmin) - Number(b.sysadmin),
} satisfies Record<string, (a: UserRecord, b: UserRecord) => number>;
export type ColumnOrder = keyof typeof ORDERS;

export const sortUsers = (users: readonly UserRecord[], order: ColumnOrder): UserRecord[] =>
  [...users].sort(ORDERS[order]);

/** Null sorts last. */
const compareOptional = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareText(a, b);
