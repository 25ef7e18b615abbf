/** What groups and organizations may be called and hold. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { slugFaults } from '../../kernel/slug.ts';

/** Length of short words (type, state, approval status, capacity) and of keys, in characters. */
const WORD_MAX = 100;
const RESERVED: ReadonlySet<string> = new Set(['new', 'edit', 'search']);

/**
 * Why a name cannot be used, or null. A new name has lowercase letters only; a changed one may have capitals,
 * as clients in the field were always allowed (the reference checks names when a group is made, not later).
 */
export const checkGroupName = (name: string | null, isNew: boolean): string | null =>
  slugFaults(name ?? '', { reserved: RESERVED, mayHaveCapitals: !isNew })[0] ?? null;

/** Why an own id cannot be used, or null. */
export const checkGroupId = (id: string): string | null =>
  /^[A-Za-z0-9_-]{2,100}$/.test(id) ? null : 'Must be 2 to 100 alphanumeric (ascii) characters and these symbols: -_';

/** A word that is too long. */
export const checkWord = (path: Problem['path'], word: string): Problem[] =>
  word.length <= WORD_MAX ? [] : [{ path, message: `Must be a maximum of ${WORD_MAX} characters long` }];

/** Extras without a key, and keys that are too long. */
export const checkExtras = (extras: readonly { key: string }[]): Problem[] =>
  extras.flatMap(({ key }, index) =>
    key === ''
      ? [{ path: ['extras', index, 'key'], message: 'Missing value' }]
      : checkWord(['extras', index, 'key'], key),
  );

/** Capacities that are too long. */
export const checkCapacities = (
  field: 'users' | 'parents',
  items: readonly { capacity?: string | null }[],
): Problem[] => items.flatMap(({ capacity }, index) => checkWord([field, index, 'capacity'], capacity ?? ''));
