/** Distinguishes transient failures of PostgreSQL (down, hung, full, read-only) from defects, for every library that reports them. */
import type { Logger } from 'pino';
import { CatalogError } from '../../kernel/errors.ts';

/**
 * SQLSTATEs: lost connection; server starting, stopping or in recovery; access refused; no space (disk, memory,
 * connections); read-only; timeout.
 */
const SQLSTATES = /^(08...|25006|25P0[34]|28...|3D000|53...|55P03|57014|57P0.|58030)$/;
/** Codes of sockets and of DNS. */
const SOCKET = /^(ECONN|ENOTFOUND|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_)/;
/** Codes of a socket in the file system, and of any other file. */
const FILE = /^(ENOENT|EACCES)$/;
/** The same in a message of Prisma, which has no system call. */
const NO_SOCKET = /\bconnect (?:ENOENT|EACCES) \S*\.s\.PGSQL\.\d+/;
/** Node's message for a disconnected client: its code is that of a lost connection, but no component is down. */
const CLIENT_GONE = 'aborted';
/** Prisma: not reachable, too slow, connection closed, pool or transaction timed out, too many connections. */
const PRISMA = /^P(1001|1002|1008|1011|1017|2024|2028|2037)$/;
/** Messages of pg and its pool without a code. */
const WORDS =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|connection error and is not queryable|Client was closed|after calling end on the pool|Connection terminated due to connection timeout/;
/** Kinds by which Prisma's adapter reports socket failures. */
const KINDS: ReadonlySet<unknown> = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
  'TlsConnectionError',
]);

/** An UNAVAILABLE error for a component that is down. Its cause is the failure itself, for the log. */
export function unavailable(message: string, cause: unknown): CatalogError {
  const refusal = new CatalogError('UNAVAILABLE', message);
  refusal.cause = cause;
  return refusal;
}

/** Whether the error means that a component is down, rather than missing on this site. */
export const isDown = ({ kind, cause }: CatalogError): boolean => kind === 'UNAVAILABLE' && cause !== undefined;

/** Whether PostgreSQL is unavailable, and a retry may succeed. */
export const isUnavailable = (thrown: unknown): boolean => reasonOf(thrown) !== null;

/** Why PostgreSQL or another component is unavailable, in one short line without secrets; null for other failures. */
export function reasonOf(thrown: unknown): string | null {
  let inner = thrown;
  for (let depth = 0; depth < 6 && typeof inner === 'object' && inner !== null; depth += 1) {
    const reason = reasonHere(inner as Failure);
    if (reason !== null) return reason;
    const { meta, cause } = inner as Failure;
    inner = meta?.driverAdapterError ?? cause;
  }
  // For other components, such as the search engine, the cause has its own message.
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
    const [noSocket] = (FILE.test(found) && NO_SOCKET.exec(String(message))) || [];
    if (noSocket) return noSocket;
    if (PRISMA.test(found)) return PRISMA_WORDS[found] ?? found;
  }
  if (KINDS.has(kind)) return firstLine(originalMessage ?? kind);
  return code === undefined && typeof message === 'string' && WORDS.test(message) ? firstLine(message) : null;
}

const PRISMA_WORDS: Readonly<Record<string, string>> = {
  P2024: 'timeout waiting for a free connection (catalog.database_connect_timeout)',
  P2028: 'transaction timeout (catalog.database_transaction_timeout)',
};

/** Prisma: a statement with more parameters than PostgreSQL supports. */
const TOO_MANY_PARAMETERS = 'P2029';
const DOWN = 'The database is currently unavailable. Try again later.';

/**
 * The error that callers see: UNAVAILABLE for a transient failure of the catalog's database; every other error
 * unchanged. Logs unavailable components if a log is passed.
 */
export function asRefusal(thrown: unknown, log?: Logger): unknown {
  if ((thrown as Failure | null)?.code === TOO_MANY_PARAMETERS)
    return new CatalogError(
      'LIMIT',
      'A list has too many values: at most 32,000 are allowed. Split it into several requests.',
    );
  const refusal = thrown instanceof CatalogError || reasonOf(thrown) === null ? thrown : unavailable(DOWN, thrown);
  if (log && refusal instanceof CatalogError && isDown(refusal))
    log.warn({ err: refusal }, 'request answered with 503: part of the service is down');
  return refusal;
}
