/** Errors that callers see. Facades map kinds, never messages; docs/errors.md lists them. */
export type ErrorKind =
  | 'NOT_FOUND'
  | 'NOT_AUTHORIZED'
  | 'VALIDATION'
  | 'CONFLICT'
  | 'GONE'
  | 'LIMIT'
  | 'SEARCH'
  | 'UNAVAILABLE'
  | 'RATE_LIMIT';

/** One problem of the input. The path starts at the input object and uses the graph's names; [] is the input as a whole. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** Position in the text of the field, in characters from 0. */
  readonly position?: number | undefined;
}

/** The same error, with a position in the text of its field. */
export const located = ({ kind, message, problems }: CatalogError, position: number): CatalogError =>
  new CatalogError(
    kind,
    message,
    problems.map((problem) => ({ ...problem, position })),
  );

/** An expected error for the caller. Every other thrown error is a defect: logged at the edge and masked. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly kind: ErrorKind;
  readonly problems: readonly Problem[];
  /** The object's current version, for a version CONFLICT. */
  readonly currentVersion: number | undefined;

  constructor(kind: ErrorKind, message: string, problems: readonly Problem[] = [], currentVersion?: number) {
    super(message.toWellFormed()); // a quoted text may be cut inside a character
    this.kind = kind;
    this.problems = problems.map((problem) => ({ ...problem, message: problem.message.toWellFormed() }));
    this.currentVersion = currentVersion;
  }
}

/** Requested data has been pruned. */
export class Gone extends CatalogError {
  /** The oldest cursor after which every change is retained. */
  readonly oldest: string;

  constructor(field: string, message: string, oldest: string) {
    super('GONE', `${field}: ${message}`, [{ path: [field], message }]);
    this.oldest = oldest;
  }
}

/** `what` completes "Not found: …"; omit it if naming the object would reveal too much. */
export const notFound = (what = ''): CatalogError => new CatalogError('NOT_FOUND', what);

/** The found object, or null for NOT_FOUND. @throws CatalogError of any other kind */
export const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((thrown: unknown) => {
    if (thrown instanceof CatalogError && thrown.kind === 'NOT_FOUND') return null;
    throw thrown;
  });

/** `why` completes "Access denied: …". */
export const notAuthorized = (why: string): CatalogError => new CatalogError('NOT_AUTHORIZED', why);

/**
 * A policy's reason: the user and the refused operation. It names nothing that the catalog looked up, because the
 * caller may have guessed a name or alias of something hidden.
 */
export const notAllowedTo = ({ name }: { readonly name: string | null }, what: string): string =>
  `${name === null ? 'Visitors are' : `User ${name}`} not authorized to ${what}`;

/**
 * Returns if a policy gives no reason to refuse. `sent` is the object's id or name in the request; it ends the message.
 * @throws NOT_AUTHORIZED with the reason
 */
export function allow(reason: string | null, sent?: string): void {
  if (reason !== null) throw notAuthorized(sent === undefined ? reason : `${reason} ${sent}`);
}

/** All problems at once; the message is their one-line summary. */
export const invalid = (problems: readonly Problem[]): CatalogError =>
  new CatalogError('VALIDATION', summary(problems), problems);

/** One problem with one field. */
export const invalidField = (field: string, message: string): CatalogError => invalid([{ path: [field], message }]);

/** One field is refused because of a limit, which the message explains. */
export const limitAt = (field: string, message: string): CatalogError =>
  new CatalogError('LIMIT', `${field}: ${message}`, [{ path: [field], message }]);

/** A concurrent write was first: it changed the version or an object that this write refers to, or took the name or id. */
export const conflict = (message: string, problems: readonly Problem[] = []): CatalogError =>
  new CatalogError('CONFLICT', message, problems);

/** Returns if the caller expects no version, or the current one. `what` begins the message. @throws CatalogError CONFLICT */
export function checkVersion(what: string, current: number, expected: number | null | undefined): void {
  if (expected == null || expected === current) return;
  throw new CatalogError(
    'CONFLICT',
    `${what} is at version ${current}, not ${expected}, because of a concurrent write. Read it again and retry.`,
    [{ path: ['expectedVersion'], message: `The current version is ${current}` }],
    current,
  );
}

/** The message of the first problem, without its field, or the whole message of an error without problems. */
export const firstMessage = ({ problems, message }: CatalogError): string => problems[0]?.message ?? message;

/** @throws CatalogError VALIDATION if there is any problem */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(problems);
}

/** The first problems in one line, each with its path; `nameOf` translates a step of a path for the reader. */
export function summary(problems: readonly Problem[], nameOf: (step: string) => string = (step) => step): string {
  const first = problems
    .slice(0, 3)
    .map(({ path, message }) =>
      path.length
        ? `${path.map((step) => (typeof step === 'number' ? step : nameOf(step))).join('.')}: ${message}`
        : message,
    );
  const rest = problems.length - first.length;
  return first.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
