import type { ErrorKind } from '../../src/kernel/errors.ts';

/** HTTP statuses of errors, for interfaces that use HTTP semantics. */
export const STATUS: Readonly<Record<ErrorKind, number>> = {
  NOT_FOUND: 404,
  NOT_AUTHORIZED: 403,
  VALIDATION: 400,
  CONFLICT: 409,
  GONE: 410,
  LIMIT: 400,
  RATE_LIMIT: 429,
  SEARCH: 400,
  UNAVAILABLE: 503,
};
