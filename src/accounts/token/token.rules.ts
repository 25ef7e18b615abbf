/** Rules of tokens. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { lengthOf } from '../../kernel/text.ts';

/** Scopes; each includes those before it. A token never has more rights than its user. */
const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Limit of tokens per user. */
export const MAX_TOKENS = 100;
const MAX_NAME_LENGTH = 100;
/** Seconds: a hundred years. */
const MAX_LIFE = 3_155_760_000;

export interface NewTokenFields {
  readonly name: string;
  /** Seconds; null for a token that does not expire. */
  readonly expiresIn: number | null;
}

/** Problems of a new token, all at once. `existing`: number of the user's tokens. */
export function checkToken({ name, expiresIn }: NewTokenFields, existing: number): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [field], message });
  if (name.trim() === '') add('name', 'Missing value');
  else if (lengthOf(name, MAX_NAME_LENGTH) > MAX_NAME_LENGTH)
    add('name', `Must be a maximum of ${MAX_NAME_LENGTH} characters long`);
  if (expiresIn !== null && !(expiresIn >= 1 && expiresIn <= MAX_LIFE))
    add('expiresIn', `Must be between 1 and ${MAX_LIFE} seconds`);
  if (existing >= MAX_TOKENS)
    problems.push({ path: [], message: `A user can have at most ${MAX_TOKENS} tokens. Revoke one first.` });
  return problems;
}
