/** What a user must be like. Pure; in the words that clients of the Action API know. */
import type { Problem } from '../../kernel/errors.ts';
import { slugFaults } from '../../kernel/slug.ts';
import { compareText } from '../../kernel/text.ts';
import type { UserRecord } from './user.store.ts';

/** People choose eight characters or more; what a sysadmin gives to somebody else may be as short as the reference allows. */
export const PASSWORD = { min: 8, minBySysadmin: 4, max: 1_000 } as const;

/** What stands behind `/user/` and is nobody's page. */
const NAME = { reserved: new Set(['new', 'edit', 'search', 'login', 'logout', 'register', 'reset', 'apikey']) };
const STATES = ['active', 'pending', 'deleted'];
/** What an HTTP header carries unchanged. */
const API_KEY = /^[\x21-\x7e]{1,200}$/;

/** Fields as they shall be written; what is undefined is not looked at. */
export interface UserFields {
  readonly name?: string;
  readonly email?: string | null;
  readonly password?: string | null;
  readonly state?: string;
}

/** What only a new user has. */
export interface NewUserFields {
  readonly databaseId?: string;
  readonly apiKey?: string;
}

/** What others have already. */
export interface Taken {
  readonly name: boolean;
  readonly id: boolean;
  readonly apiKey: boolean;
}

/** Problems of the fields that are given, all at once. `shortest`: characters of a password at least. */
export function checkUser(fields: UserFields, taken: Pick<Taken, 'name'>, shortest: number = PASSWORD.min): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, messages: readonly string[]) =>
    problems.push(...messages.map((message) => ({ path: [field], message })));
  if (fields.name !== undefined) {
    add('name', slugFaults(fields.name, NAME));
    if (taken.name) add('name', ['That login name is not available.']);
  }
  if (fields.email !== undefined && !fields.email) add('email', ['Missing value']);
  if (fields.password !== undefined) add('password', checkPassword(fields.password ?? '', shortest));
  if (fields.state !== undefined && !STATES.includes(fields.state))
    add('state', [`Must be one of ${STATES.join(', ')}`]);
  return problems;
}

/** Problems with an id or API key of the caller's choice. `allowed`: whether they are the caller's to choose. */
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

/** Why this cannot be a password. Characters are code points. */
function checkPassword(password: string, shortest: number): string[] {
  if (password === '') return ['Missing value'];
  const length = [...password].length;
  if (length < shortest) return [`Your password must be ${shortest} characters or longer`];
  return length > PASSWORD.max ? [`Your password must be ${PASSWORD.max} characters or shorter`] : [];
}

/** A name for somebody who is known by an e-mail address only: what stands before the @, as far as names have it, and a number. */
export function nameFromEmail(email: string, number: number): string {
  const start = (email.toLowerCase().split('@', 1)[0] as string).replace(/[^a-z0-9_-]+/g, '-').slice(0, 90);
  return `${start.replace(/^-+|-+$/g, '') || 'user'}-${number}`;
}

/** Orders of user_list by a column, for users in order of the display name, which decides between equals. */
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

/** Null comes last. */
const compareOptional = (a: string | null, b: string | null): number =>
  a === null || b === null ? Number(a === null) - Number(b === null) : compareText(a, b);
