/** Permissions of a WebSocket client: authentication, limit of concurrent operations, and execution of its operations. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FormattedExecutionResult } from 'graphql';
import { CloseCode } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { GraphAnswer, GraphServer } from '../../src/graph/server.ts';
import type { Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { type Call, callerOf, withRequest } from '../../src/kernel/call.ts';
import type { Counts } from '../../src/kernel/counts.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { toJsonText } from '../../src/kernel/json.ts';
import { wordsOf } from '../../src/kernel/mutation.ts';
import { isForeign } from '../shared/session.ts';
import { flow, messagesOf, type Pace } from './flow.ts';
import { parametersOf, UnreadableRequest } from './parameters.ts';

export interface PeerOptions {
  readonly server: GraphServer;
  readonly subscriptions: Subscriptions;
  /** `cookies`: whether a session cookie may authenticate the request. */
  readonly callFor: (req: IncomingMessage, cookies: boolean) => Call | Promise<Call>;
  /** Headers for a key or token, in lower case. Parameters of `connection_init` with these names count too. */
  readonly keyHeaders: readonly string[];
  /** Site URL: the session cookie counts only for its own pages. */
  readonly siteUrl: string;
  /** Maximum concurrent connections of one caller. */
  readonly maxPerCaller: number;
  /** Maximum values in one message. */
  readonly values: number;
  readonly onDefect: (thrown: unknown) => void;
}

/** Maximum concurrent operations of one connection. */
export const OPERATIONS = 100;
/** Close code for a temporary condition. */
const TRY_LATER = 1013;
/** Maximum characters of a reason, because a close frame has 123 bytes for it. */
const REASON = 120;

export type Errors = NonNullable<FormattedExecutionResult['errors']>;
/** Outcome of an operation: refused before execution, a single result, or a stream of results. */
export type Outcome = { readonly errors: Errors } | { readonly result: unknown };

/** An open connection. */
export interface Connection {
  readonly options: PeerOptions;
  /** Connections per caller. */
  readonly callers: Counts;
  readonly socket: WebSocket;
  readonly req: IncomingMessage;
  readonly pace: Pace;
  /** Aborted when the connection is closed. */
  readonly gone: AbortController;
  readonly onWelcome: () => void;
  /** The request with the keys of `connection_init`. */
  asking: IncomingMessage;
  caller: string | null;
  /** Operations, streams included. */
  underWay: number;
  /** Operations without a result yet. */
  answering: number;
  leaving: [number, string] | null;
}

const hasKey = (connection: Connection) =>
  connection.options.keyHeaders.some((name) => connection.asking.headers[name]);

async function call({ options, asking, req, gone }: Connection): Promise<Call> {
  return withRequest(await options.callFor(asking, !isForeign(req, options.siteUrl)), { gone: gone.signal });
}

/** Closes the connection now. */
export function close(connection: Connection, code: number, reason: string): void {
  connection.socket.close(code, reason.slice(0, REASON));
}

function closeIfIdle(connection: Connection): void {
  if (connection.leaving && connection.answering === 0) close(connection, ...connection.leaving);
}

/** Closes the connection when running operations are done. */
export function leave(connection: Connection, code: number, reason: string): void {
  connection.leaving ??= [code, reason];
  closeIfIdle(connection);
}

/** Counts the connection towards its caller's limit. */
export async function welcome(connection: Connection, params: Readonly<Record<string, unknown>>): Promise<boolean> {
  connection.asking = withKey(connection.req, params, connection.options.keyHeaders);
  try {
    const who = callerOf((await call(connection)).actor);
    const count = connection.callers.of(who);
    if (connection.gone.signal.aborted) return false;
    if (count >= connection.options.maxPerCaller) {
      close(
        connection,
        TRY_LATER,
        `LIMIT: you have reached your limit of ${count} connections (catalog.limits.streams_per_caller)`,
      );
      return false;
    }
    connection.caller = who;
    connection.callers.add(who);
    connection.onWelcome();
    return true;
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    close(
      connection,
      failure.kind === 'UNAVAILABLE' ? TRY_LATER : CloseCode.Forbidden,
      `${failure.kind}: ${wordsOf(failure)}`,
    );
    return false;
  }
}

/** Begins an operation of the client. */
export async function begin(connection: Connection, id: string, payload: unknown): Promise<Outcome> {
  if (connection.leaving || connection.underWay >= OPERATIONS)
    return refusal('LIMIT', connection.leaving ? LEAVING : TOO_MANY);
  connection.underWay += 1;
  connection.answering += 1;
  let isStream = false;
  try {
    const answer = await connection.options.server.follow({
      parameters: parametersOf(payload),
      // Browsers send cookies automatically, API keys not.
      onlyReads: !hasKey(connection) && connection.asking.headers.cookie !== undefined,
      headers: connection.asking.headers,
      requestId: randomUUID(),
      call: () => call(connection),
    });
    if (!('stream' in answer)) return refusalOf(answer) ?? { result: sendResult(connection, id, answer.result) };
    isStream = true;
    return {
      result: flow(id, answer.stream, connection.pace, () => {
        connection.underWay -= 1;
      }),
    };
  } catch (failure) {
    if (failure instanceof UnreadableRequest) return refusal(failure.code, failure.message);
    throw failure;
  } finally {
    connection.answering -= 1;
    if (!isStream) connection.underWay -= 1;
    setImmediate(() => closeIfIdle(connection)); // after the response
  }
}

/** A stream that ends at server shutdown is resumed on a new connection by its client. */
export function failed(connection: Connection, failure: unknown): Errors {
  const error = connection.options.subscriptions.formatted(failure);
  if (error.extensions?.code === 'UNAVAILABLE') leave(connection, 1012, error.message);
  return [error];
}

const TOO_MANY = `The connection has reached its limit of ${OPERATIONS} concurrent operations: complete one first, or open another connection`;
const LEAVING = 'The connection is being closed. Connect again.';

const refusal = (code: string, message: string): Outcome => ({ errors: [{ message, extensions: { code } }] });

const READS_ONLY =
  'A WebSocket authenticated by a cookie is read-only: send mutations with POST, or set a key or token in `authorization` of connection_init';

/** Null for an operation that was executed. */
function refusalOf({ status, result }: GraphAnswer): Outcome | null {
  if (status === 405) return refusal('VALIDATION', READS_ONLY);
  return result.data === undefined && result.errors ? { errors: result.errors } : null;
}

/** An iterable for graphql-ws, as `flow`, for a single result: graphql-ws would parse its serialized values, and round long numbers. */
// biome-ignore lint/correctness/useYield: it sends the result itself
async function* sendResult(connection: Connection, id: string, result: unknown): AsyncGenerator<never> {
  await send(connection, messagesOf(id)(toJsonText(result)));
}

/** Sends a message. Resolves when it is written, or the connection is closed. */
export const send = ({ socket }: Pick<Connection, 'socket'>, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (socket.readyState !== socket.OPEN) resolve();
    else socket.send(text, (failure) => (failure ? reject(failure) : resolve()));
  });

/** The request with the keys of `connection_init`, because browsers cannot set headers of a WebSocket. */
function withKey(
  req: IncomingMessage,
  params: Readonly<Record<string, unknown>>,
  keyHeaders: readonly string[],
): IncomingMessage {
  const given = Object.entries(params)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => keyHeaders.includes(name) && typeof value === 'string' && value.trim() !== '');
  return Object.create(req, { headers: { value: { ...req.headers, ...Object.fromEntries(given) } } });
}
