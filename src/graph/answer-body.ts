/** Serializes answers, with a limit: fields and their aliases can return a long text many times. */
import { type JsonBody, toJsonBody } from '../kernel/json.ts';
import type { GraphAnswer } from './execution/operation.ts';

/** Maximum bytes of an answer; characters if it has no serialized values. Twice the table records of an answer. */
const MAX_BYTES = 128 * 1024 * 1024;

/** The body of an answer. Of one that is too long, only the error. */
export function bodyOf(result: GraphAnswer['result']): JsonBody {
  const body = bodyWithin(result);
  if (body) return body;
  const message = `The answer is longer than ${MAX_BYTES} bytes: ask for fewer objects or fields, or in several requests`;
  const errors = [{ message, extensions: { code: 'LIMIT' } }];
  return toJsonBody('', { errors, data: null, extensions: result.extensions }, '');
}

function bodyWithin(result: GraphAnswer['result']): JsonBody | null {
  try {
    const made = toJsonBody('', result, '');
    return lengthOf(made.body) > MAX_BYTES ? null : made;
  } catch (thrown) {
    if (thrown instanceof RangeError) return null; // longer than any text of V8
    throw thrown;
  }
}

const lengthOf = (body: JsonBody['body']): number =>
  Array.isArray(body) ? body.reduce((sum, { length }) => sum + length, 0) : body.length;
