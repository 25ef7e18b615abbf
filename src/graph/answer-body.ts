/** Serializes answers, with a limit: fields and their aliases can return a long text many times. */
import { type JsonBody, toJsonBody } from '../kernel/json.ts';
import type { GraphAnswer } from './execution/operation.ts';

type Result = GraphAnswer['result'];

/** Maximum bytes of an answer; characters of its parts that are texts. Twice the table records of an answer. */
const MAX_BYTES = 128 * 1024 * 1024;

export interface AnswerBody extends JsonBody {
  /** False if the answer was too long: the body then has only the error. */
  readonly isWhole: boolean;
}

/** The body of an answer. */
export function bodyOf(result: Result): AnswerBody {
  const whole = within(result);
  return whole ? { ...whole, isWhole: true } : { ...toJsonBody('', tooLong(result), ''), isWhole: false };
}

/** The answer, for transports that serialize it themselves. Of one that is too long, only the error. */
export const bounded = (result: Result): Result => (within(result) ? result : tooLong(result));

function within(result: Result): JsonBody | null {
  try {
    return toJsonBody('', result, '', MAX_BYTES);
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}

function tooLong({ extensions }: Result): Result {
  const message = `The answer is longer than ${MAX_BYTES} bytes: ask for fewer objects or fields, or in several requests`;
  return { errors: [{ message, extensions: { code: 'LIMIT' } }], data: null, ...(extensions && { extensions }) };
}
