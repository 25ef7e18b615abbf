/** What can go wrong: one class for all of it, and one each for what programs deal with by themselves. */

/** An error as the graph tells it. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  /** `code` is the kind: NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT, RATE_LIMIT … */
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown };
}

/** An error in the payload of a mutation. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly path: readonly string[];
  readonly currentVersion?: number | null;
}

/** What is wrong with one field of the input; `path` is empty where it concerns all of it. */
export type Problem = Pick<Refusal, 'path' | 'message'>;

/** Where a failure comes from. */
interface Source {
  /** Of HTTP; 0 where the server could not be reached, 200 where the payload of a mutation tells of it. */
  readonly status: number;
  readonly errors?: readonly GraphError[];
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** What was not answered: by the graph, or because there was no answer of a graph at all. */
export class CatalogFailure extends Error {
  override readonly name: string = 'CatalogFailure';
  readonly status: number;
  readonly errors: readonly GraphError[];
  /** What the log of the server calls the request; null without an answer. */
  readonly requestId: string | null;

  constructor(message: string, { status, errors = [], requestId = null, cause }: Source) {
    super(message, { cause });
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** The kind of the first error; null where it tells none. */
  get code(): string | null {
    return this.errors[0]?.extensions?.code ?? null;
  }
}

/** The caller has asked for more than the site allows over time, even after waiting. Nothing was run. */
export class RateLimited extends CatalogFailure {
  override readonly name = 'RateLimited';
  /** Seconds after which to ask again; null where the server does not say. */
  readonly retryAfter: number | null;

  constructor(message: string, source: Source) {
    super(message, source);
    this.retryAfter = source.retryAfter ?? null;
  }
}

/** Somebody else was first. Nothing was written: read again, and decide anew. */
export class Conflict extends CatalogFailure {
  override readonly name = 'Conflict';
  /** The version that the object has by now, where `expectedVersion` was another; else null (a name that was taken, for one). */
  get currentVersion(): number | null {
    return (this.errors[0]?.extensions?.currentVersion as number | null | undefined) ?? null;
  }
}

/** The input breaks a rule. Nothing was written. */
export class Invalid extends CatalogFailure {
  override readonly name = 'Invalid';
  /** Every problem, by field of the input. */
  get fields(): readonly Problem[] {
    return (this.errors[0]?.extensions?.problems as readonly Problem[] | undefined) ?? [];
  }
}

const KINDS: Readonly<Record<string, typeof CatalogFailure>> = {
  RATE_LIMIT: RateLimited,
  CONFLICT: Conflict,
  VALIDATION: Invalid,
};

/** The failure for errors of the graph, of the class of the first. */
export function failureOf(errors: readonly GraphError[], source: Source): CatalogFailure {
  const Kind = KINDS[errors[0]?.extensions?.code ?? ''] ?? CatalogFailure;
  return new Kind(errors.map(({ message }) => message).join('; '), { ...source, errors });
}

/** A payload of which nothing was refused: what it is about is there. */
export type Accepted<Payload> = { [Field in keyof Payload]-?: NonNullable<Payload[Field]> };

/** The payload of a mutation, when it was done. @throws CatalogFailure when it was refused: Conflict, Invalid … */
export function accepted<Payload extends { readonly errors: readonly Refusal[] }>(payload: Payload): Accepted<Payload> {
  const [first] = payload.errors;
  if (!first) return payload as Accepted<Payload>;
  const problems = payload.errors.filter(({ path }) => path.length > 0).map(({ path, message }) => ({ path, message }));
  const message = payload.errors.map(({ path, message }) => [...path, message].join(': ')).join('; ');
  const { code, currentVersion = null } = first;
  throw failureOf([{ message, extensions: { code, currentVersion, problems } }], { status: 200 });
}
