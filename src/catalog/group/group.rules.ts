/** Validation of groups and organizations. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { slugFaults } from '../../kernel/slug.ts';

/** Length of short words (type, state, approval status, capacity) and of keys, in characters. */
const WORD_MAX = 100;
const RESERVED: ReadonlySet<string> = new Set(['new', 'edit', 'search']);

/**
 * Why a name is invalid, or null. A new name has lowercase letters only. A changed one may have capitals, because CKAN
 * checks names only on creation and clients rely on it.
 */
export const checkGroupName = (name: string | null, isNew: boolean): string | null =>
  slugFaults(name ?? '', { reserved: RESERVED, mayHaveCapitals: !isNew })[0] ?? null;

/** Why a requested id is invalid, or null. */
export const checkGroupId = (id: string): string | null =>
  /^[A-Za-z0-9_-]{2,100}$/.test(id) ? null : 'Must be 2 to 100 alphanumeric (ascii) characters and these symbols: -_';

/** The problem of a word that is too long. */
export const checkWord = (path: Problem['path'], word: string): Problem[] =>
  word.length <= WORD_MAX ? [] : [{ path, message: `Must be a maximum of ${WORD_MAX} characters long` }];

/** Problems of extras: missing keys, and keys that are too long. */
export const checkExtras = (extras: readonly { key: string }[]): Problem[] =>
  extras.flatMap(({ key }, index) =>
    key === ''
      ? [{ path: ['extras', index, 'key'], message: 'Missing value' }]
      : checkWord(['extras', index, 'key'], key),
  );

/** Problems of capacities that are too long. */
export const checkCapacities = (
  field: 'users' | 'parents',
  items: readonly { capacity?: string | null }[],
): Problem[] => items.flatMap(({ capacity }, index) => checkWord([field, index, 'capacity'], capacity ?? ''));
