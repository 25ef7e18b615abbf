/** Everything the catalog can refuse to do. Surfaces map kinds, never messages; docs/errors.md lists them. */
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

/** One thing wrong with the input. The path starts at the input object and uses the graph's names; [] is the input as a whole. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A refusal that the caller should see. Anything else that is thrown is a defect: logged at the edge and masked. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  readonly kind: ErrorKind;
  readonly problems: readonly Problem[];
  /** Of a CONFLICT by version: the version that the object has by now. */
  readonly currentVersion: number | undefined;

  constructor(kind: ErrorKind, message: string, problems: readonly Problem[] = [], currentVersion?: number) {
    super(message.toWellFormed()); // a text that is quoted may have been cut inside a character
    this.kind = kind;
    this.problems = problems.map((problem) => ({ ...problem, message: problem.message.toWellFormed() }));
    this.currentVersion = currentVersion;
  }
}

/** Some of what is asked for was there once, and is kept no more. */
export class Gone extends CatalogError {
  /** The cursor behind which everything is kept. */
  readonly oldest: string;

  constructor(field: string, message: string, oldest: string) {
    super('GONE', `${field}: ${message}`, [{ path: [field], message }]);
    this.oldest = oldest;
  }
}

/** `what` completes "Not found: …"; leave it out where naming the object would tell too much. */
export const notFound = (what = ''): CatalogError => new CatalogError('NOT_FOUND', what);

/** What was found, or null where there is nothing. @throws CatalogError of any other kind */
export const orNull = <T>(found: Promise<T>): Promise<T | null> =>
  found.catch((thrown: unknown) => {
    if (thrown instanceof CatalogError && thrown.kind === 'NOT_FOUND') return null;
    throw thrown;
  });

/** `why` completes "Access denied: …". */
export const notAuthorized = (why: string): CatalogError => new CatalogError('NOT_AUTHORIZED', why);

/**
 * The reason of a policy: who may not do what. It names nothing that the catalog looked up, because the caller may have guessed a name or
 * alias of something hidden.
 */
export const notAllowedTo = ({ name }: { readonly name: string | null }, what: string): string =>
  `${name === null ? 'Visitors are' : `User ${name}`} not authorized to ${what}`;

/**
 * Goes on when a policy gives no reason against it. `sent` is the id or name of the object as the caller sent it; it ends the message.
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

/** Somebody else was first: a version that moved on, a name taken meanwhile. */
export const conflict = (message: string, problems: readonly Problem[] = []): CatalogError =>
  new CatalogError('CONFLICT', message, problems);

/** Goes on when the caller expects no version, or the one there is. `what` begins the message. @throws CatalogError CONFLICT */
export function checkVersion(what: string, current: number, expected: number | null | undefined): void {
  if (expected == null || expected === current) return;
  throw new CatalogError(
    'CONFLICT',
    `${what} is at version ${current}, not ${expected}, because of a concurrent write. Read it again and retry.`,
    [{ path: ['expectedVersion'], message: `The current version is ${current}` }],
    current,
  );
}

/** Throws VALIDATION when there is any problem. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalid(problems);
}

/** The first problems in one line, each with its place; `nameOf` says what a step of a path is called to the reader. */
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
