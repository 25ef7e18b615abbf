/** What tokens are like. Pure. */
import type { Problem } from '../../kernel/errors.ts';

/** What a token may do at most; each includes those before it. Whatever it says, nobody's token does more than its user. */
const SCOPES = ['read', 'write', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Tokens of one user. */
export const MOST_TOKENS = 100;
const LONGEST_NAME = 100;
/** Seconds: a hundred years. */
const LONGEST_LIFE = 3_155_760_000;

export interface NewTokenFields {
  readonly name: string;
  /** Seconds; null for ever. */
  readonly expiresIn: number | null;
}

/** Problems of a new token, all at once. `existing`: tokens that its user has already. */
export function checkToken({ name, expiresIn }: NewTokenFields, existing: number): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [field], message });
  if (name.trim() === '') add('name', 'Missing value');
  else if ([...name].length > LONGEST_NAME) add('name', `Must be a maximum of ${LONGEST_NAME} characters long`);
  if (expiresIn !== null && !(expiresIn >= 1 && expiresIn <= LONGEST_LIFE))
    add('expiresIn', `Must be between 1 and ${LONGEST_LIFE} seconds`);
  if (existing >= MOST_TOKENS)
    problems.push({ path: [], message: `A user can have at most ${MOST_TOKENS} tokens. Revoke one first.` });
  return problems;
}
