/** Tells failures of PostgreSQL that pass by themselves (down, hung, full, read-only) from defects, whichever library reports them. */
import type { Logger } from 'pino';
import { CatalogError } from '../../kernel/errors.ts';

/**
 * SQLSTATEs: the connection is lost, the server starts, stops or is in recovery, refuses us, has no room (disk, memory, connections),
 * takes no writes, or ended what took too long.
 */
const SQLSTATES = /^(08...|25006|25P0[34]|28...|3D000|53...|55P03|57014|57P0.|58030)$/;
/** Codes of sockets and of the resolver of names. */
const SOCKET = /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_)/;
/** Codes of a socket in the file system, and of any other file. */
const FILE = /^(ENOENT|EACCES)$/;
/** Node's words for a request whose client went away: its code is that of a lost connection, but no part is down. */
const CLIENT_GONE = 'aborted';
/** Prisma: not reachable, too slow, connection closed, pool or transaction timed out, too many connections. */
const PRISMA = /^P(1001|1002|1008|1011|1017|2024|2028|2037)$/;
/** What pg and its pool say without a code. */
const WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|connection error and is not queryable|Client was closed|after calling end on the pool|Connection terminated due to connection timeout/;
/** Prisma's adapter: what it makes of failures of sockets. */
const KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);

/** A refusal that says that a part is down. The failure itself is its cause, for the log. */
export function unavailable(message: string, cause: unknown): CatalogError {
  const refusal = new CatalogError('UNAVAILABLE', message);
  refusal.cause = cause;
  return refusal;
}

/** Whether a refusal says that a part is down, and not that the site has none. */
export const isDown = ({ kind, cause }: CatalogError): boolean => kind === 'UNAVAILABLE' && cause !== undefined;

/** Whether PostgreSQL is to blame, and trying again later may help. */
export const isUnavailable = (thrown: unknown): boolean => reasonOf(thrown) !== null;

/** Why PostgreSQL, or another part, cannot be used, in one short line without any secret; null where something else is wrong. */
export function reasonOf(thrown: unknown): string | null {
  let inner = thrown;
  for (let depth = 0; depth < 6 && typeof inner === 'object' && inner !== null; depth += 1) {
    const reason = reasonHere(inner as Failure);
    if (reason !== null) return reason;
    const { meta, cause } = inner as Failure;
    inner = meta?.driverAdapterError ?? cause;
  }
  // Of another part, such as the search engine, the cause is in its own words.
  return thrown instanceof CatalogError && isDown(thrown) ? firstLine((thrown.cause as Error)?.message) : null;
}

const firstLine = (text: unknown): string =>
  String(text ?? '')
    .split('\n', 1)[0]!
    .slice(0, 200);

interface Failure {
  readonly code?: unknown;
  readonly kind?: unknown;
  readonly originalCode?: unknown;
  readonly originalMessage?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly meta?: { readonly code?: unknown; readonly driverAdapterError?: unknown };
}

function reasonHere({ code, kind, originalCode, originalMessage, message, syscall, meta }: Failure): string | null {
  for (const found of [originalCode, code, meta?.code]) {
    if (typeof found !== 'string') continue;
    if (SQLSTATES.test(found)) return `${firstLine(originalMessage ?? message)} (${found})`;
    const isLost = SOCKET.test(found) && message !== CLIENT_GONE;
    if (isLost || (FILE.test(found) && syscall === 'connect')) return firstLine(message) || found;
    if (PRISMA.test(found)) return PRISMA_WORDS[found] ?? found;
  }
  if (KINDS.has(kind)) return firstLine(originalMessage ?? kind);
  return code === undefined && typeof message === 'string' && WORDS.test(message) ? firstLine(message) : null;
}

const PRISMA_WORDS: Readonly<Record<string, string>> = {
  P2024: 'timeout waiting for a free connection (catalog.database_connect_timeout)',
  P2028: 'transaction timeout (catalog.database_transaction_timeout)',
};

/** Prisma: a statement with more parameters than PostgreSQL takes. */
const TOO_MANY_PARAMETERS = 'P2029';
const DOWN = 'The database is currently unavailable. Try again later.';

/**
 * What a caller is told of a failure: UNAVAILABLE where it is one of the catalog's database that passes by itself; anything else as it is.
 * That a part is down is logged, where a log is given.
 */
export function asRefusal(thrown: unknown, log?: Logger): unknown {
  if ((thrown as Failure | null)?.code === TOO_MANY_PARAMETERS)
    return new CatalogError('LIMIT', 'A list has too many values: at most 32,000 at a time.');
  const refusal = thrown instanceof CatalogError || reasonOf(thrown) === null ? thrown : unavailable(DOWN, thrown);
  if (log && refusal instanceof CatalogError && isDown(refusal))
    log.warn({ err: refusal }, 'request answered with 503: part of the service is down');
  return refusal;
}
