/** Refusals as the legacy interfaces say them: a text, or one key per field; the status is the contract's. */
import { CatalogError, type ErrorKind } from '../../src/kernel/errors.ts';
import { UnreadableBody } from '../shared/bodies.ts';
import { fold, onTheWire } from '../shared/wire/problems.ts';

/** Exhaustive by type. A kind without words tells its problems by field. */
const WIRE: Record<ErrorKind, { status: number; words?: string }> = {
  NOT_FOUND: { status: 404, words: 'Not found' },
  NOT_AUTHORIZED: { status: 403, words: 'Access denied' },
  VALIDATION: { status: 409 },
  CONFLICT: { status: 409 },
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

/** What was thrown as an answer; null for a defect. `keys`: what stands for the wire's name of a field, by the graph's. */
export function refusalOf(thrown: unknown, keys: Readonly<Record<string, string>> = {}): Refusal | null {
  if (thrown instanceof UnreadableBody) return badRequest(thrown.message);
  if (!(thrown instanceof CatalogError)) return null;
  const { status, words } = WIRE[thrown.kind];
  if (words !== undefined) return { status, body: thrown.message ? `${words} - ${thrown.message}` : words };
  const problems = thrown.problems.map((problem) => {
    const [field, ...rest] = problem.path;
    return typeof field === 'string' && Object.hasOwn(keys, field)
      ? { ...problem, path: [keys[field]!, ...rest] }
      : problem;
  });
  const fields = fold(onTheWire(problems));
  if (Object.keys(fields).length > 0) return { status, body: fields };
  return { status, body: { message: thrown.problems[0]?.message ?? thrown.message } };
}
