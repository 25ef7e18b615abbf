import { type CatalogError, type ErrorKind, summary } from '../../src/kernel/errors.ts';
import { wireName } from '../../src/records/form/names.ts';
import { fold, onTheWire } from '../shared/wire/problems.ts';
import { inContractWords } from '../shared/wire/wording.ts';

/** Status of the profile `http`, and the contract's names. Exhaustive by type: a new kind must be added before the code compiles. */
const WIRE: Record<ErrorKind, { status: number; type: string; prefix?: string }> = {
  NOT_FOUND: { status: 404, type: 'Not Found Error', prefix: 'Not found' },
  NOT_AUTHORIZED: { status: 403, type: 'Authorization Error', prefix: 'Access denied' },
  VALIDATION: { status: 409, type: 'Validation Error' },
  CONFLICT: { status: 409, type: 'Validation Error' },
  GONE: { status: 410, type: 'Gone' },
  LIMIT: { status: 409, type: 'Validation Error' },
  SEARCH: { status: 409, type: 'Search Error', prefix: 'Search error' },
  UNAVAILABLE: { status: 503, type: 'Service Unavailable' },
  RATE_LIMIT: { status: 429, type: 'Too Many Requests' },
};

export interface WireError {
  status: number;
  error: Record<string, unknown>;
}

/** Converts an error to the status and the `error` object of the envelope (ruling 3). `nameOf`: a field's name → its wire name. */
export function toWireError(error: CatalogError, nameOf = wireName): WireError {
  const thrown = inContractWords(error);
  const { status, type, prefix } = WIRE[thrown.kind];
  const problems = onTheWire(thrown.problems);
  const namesFields = (thrown.kind === 'VALIDATION' || thrown.kind === 'LIMIT') && problems.length > 0;
  const said = namesFields ? summary(problems, nameOf) : thrown.message;
  const message = prefix ? (thrown.message ? `${prefix}: ${thrown.message}` : prefix) : said;
  return { status, error: { ...fold(problems, nameOf), message, __type: type } };
}
