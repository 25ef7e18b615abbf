/** Error responses of the legacy interfaces: a text, or one key per field, with the contract's status. */
import { CatalogError, type ErrorKind, firstMessage } from '../../src/kernel/errors.ts';
import { UnreadableBody } from '../shared/bodies.ts';
import { fold, onTheWire } from '../shared/wire/problems.ts';
import { inContractWords } from '../shared/wire/wording.ts';

/** Exhaustive by type. A kind without `words` lists its problems by field. */
const WIRE: Record<ErrorKind, { status: number; words?: string }> = {
  NOT_FOUND: { status: 404, words: 'Not found' },
  NOT_AUTHORIZED: { status: 403, words: 'Access denied' },
  VALIDATION: { status: 409 },
  CONFLICT: { status: 409 },
  GONE: { status: 410, words: 'Gone' },
  LIMIT: { status: 409 },
  SEARCH: { status: 400, words: 'Bad request - Bad search option' },
  UNAVAILABLE: { status: 503, words: 'Service unavailable' },
  RATE_LIMIT: { status: 429, words: 'Too many requests' },
};

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

export const badRequest = (why: string): Refusal => ({ status: 400, body: `Bad request - ${why}` });

/** Response for a CatalogError; null for an internal error. `keys`: field → key in the response. */
export function refusalOf(
  failure: unknown,
  keys: Readonly<Record<string, string>> = {},
  isSearch = false,
): Refusal | null {
  if (failure instanceof UnreadableBody) return badRequest(failure.message);
  if (!(failure instanceof CatalogError)) return null;
  const thrown = inContractWords(failure);
  if (isSearch && (thrown.kind === 'VALIDATION' || thrown.kind === 'LIMIT'))
    return badRequest(
      `Bad search option: ${(thrown.kind === 'VALIDATION' && thrown.problems[0]?.message) || thrown.message}`,
    );
  const { status, words } = WIRE[thrown.kind];
  if (words !== undefined) return { status, body: thrown.message ? `${words} - ${thrown.message}` : words };
  const fields = Object.entries(fold(onTheWire(thrown.problems)));
  if (fields.length > 0)
    return {
      status,
      body: Object.fromEntries(
        fields.map(([name, faults]) => [Object.hasOwn(keys, name) ? keys[name]! : name, faults]),
      ),
    };
  return { status, body: { message: firstMessage(thrown) } };
}
