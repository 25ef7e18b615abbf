/** Parameter readers of the token actions. */
import type { TokenScope } from '../../../src/generated/operations.ts';
import { invalidField } from '../../../src/kernel/errors.ts';
import { absent, asText, type Param } from '../params.ts';

const SCOPES: Readonly<Record<string, TokenScope>> = { read: 'READ', write: 'WRITE', admin: 'ADMIN' };

/** A scope; defaults to `admin`, for clients that know tokens without scopes. @throws CatalogError VALIDATION */
export const tokenScope = (about: string): Param<TokenScope> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    const word = absent(raw) ? 'admin' : asText(raw).toLowerCase();
    if (!Object.hasOwn(SCOPES, word)) throw invalidField(name, `Must be one of ${Object.keys(SCOPES).join(', ')}`);
    return SCOPES[word]!;
  },
});

/** Seconds from a number of units; undefined when the token does not expire. Caps the result at a safe integer. */
export const tokenLifetime = (count: number | undefined, unit = 1): number | undefined =>
  count === undefined ? undefined : Math.min(count * unit, Number.MAX_SAFE_INTEGER);
