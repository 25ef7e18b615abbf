/** Errors: one class for all, and subclasses for those that programs usually handle. */

/** An error of a GraphQL response. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  /** `code`: NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT, RATE_LIMIT and others. */
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown };
}

/** An error in the payload of a mutation. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  readonly currentVersion?: number | null;
}

/** A problem with one field of the input. `path` is empty if it concerns the whole input. */
export type Problem = Pick<Refusal, 'path' | 'message'>;

/** The origin of a failure. */
interface Source {
  /** HTTP status. 0 if the server could not be reached. 200 for errors in the payload of a mutation. */
  readonly status: number;
  readonly errors?: readonly GraphError[];
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** An operation failed, or there was no GraphQL response. */
export class CatalogFailure extends Error {
  override readonly name: string = 'CatalogFailure';
  readonly status: number;
  readonly errors: readonly GraphError[];
  /** Id of the request in the server's log. Null without a response. */
  readonly requestId: string | null;

  constructor(message: string, { status, errors = [], requestId = null, cause }: Source) {
    super(message, { cause });
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** Code of the first error. Null if it has none. */
  get code(): string | null {
    return this.errors[0]?.extensions?.code ?? null;
  }
}

/** The caller exceeded a rate limit, even after retries. Nothing was executed. */
export class RateLimited extends CatalogFailure {
  override readonly name = 'RateLimited';
  /** Seconds after which to retry. Null if the server does not say. */
  readonly retryAfter: number | null;

  constructor(message: string, source: Source) {
    super(message, source);
    this.retryAfter = source.retryAfter ?? null;
  }
}

/** Another write came first. Nothing was written. Read the object again. */
export class Conflict extends CatalogFailure {
  override readonly name = 'Conflict';
  /** Current version of the object, if `expectedVersion` differs. Null for other conflicts, such as a name that is taken. */
  get currentVersion(): number | null {
    return (this.errors[0]?.extensions?.currentVersion as number | null | undefined) ?? null;
  }
}

/** The input is invalid. Nothing was written. */
export class Invalid extends CatalogFailure {
  override readonly name = 'Invalid';
  /** All problems with fields of the input. */
  get fields(): readonly Problem[] {
    return (this.errors[0]?.extensions?.problems as readonly Problem[] | undefined) ?? [];
  }
}

const KINDS: Readonly<Record<string, typeof CatalogFailure>> = {
  RATE_LIMIT: RateLimited,
  CONFLICT: Conflict,
  VALIDATION: Invalid,
};

/** Creates a failure. The first error decides its class. */
export function failureOf(errors: readonly GraphError[], source: Source): CatalogFailure {
  const Kind = KINDS[errors[0]?.extensions?.code ?? ''] ?? CatalogFailure;
  return new Kind(errors.map(({ message }) => message).join('; '), { ...source, errors });
}

/** A payload without errors. Its other fields are never null. */
export type Accepted<Payload> = { [Field in keyof Payload]-?: NonNullable<Payload[Field]> };

/** The payload of a successful mutation. @throws CatalogFailure if it was refused: Conflict, Invalid and others */
export function accepted<Payload extends { readonly errors: readonly Refusal[] }>(payload: Payload): Accepted<Payload> {
  const [first] = payload.errors;
  if (!first) return payload as Accepted<Payload>;
  const problems = payload.errors.filter(({ path }) => path.length > 0).map(({ path, message }) => ({ path, message }));
  const message = payload.errors.map(({ path, message }) => [...path, message].join(': ')).join('; ');
  const { code, currentVersion = null } = first;
  throw failureOf([{ message, extensions: { code, currentVersion, problems } }], { status: 200 });
}
