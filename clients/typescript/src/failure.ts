/** An error as the graph tells it. */
export interface GraphError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  /** `code` is the kind: NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT, RATE_LIMIT … */
  readonly extensions?: { readonly code?: string; readonly [name: string]: unknown };
}

/** What was not answered: by the graph, or because there was no answer of a graph at all. */
export class CatalogFailure extends Error {
  override readonly name = 'CatalogFailure';
  /** Of HTTP; 0 where the server could not be reached. */
  readonly status: number;
  readonly errors: readonly GraphError[];
  /** What the log of the server calls the request; null without an answer. */
  readonly requestId: string | null;

  constructor(message: string, status: number, errors: readonly GraphError[] = [], requestId: string | null = null) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** The kind of the first error; null where it tells none. */
  get code(): string | null {
    return this.errors[0]?.extensions?.code ?? null;
  }
}
