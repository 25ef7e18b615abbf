/** A WebSocket client: authentication, limit of concurrent operations, and execution of its operations. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FormattedExecutionResult, GraphQLError, GraphQLSchema, parse } from 'graphql';
import { CloseCode, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import type { GraphAnswer, GraphServer } from '../../src/graph/server.ts';
import type { Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { type Call, callerOf } from '../../src/kernel/call.ts';
import { createCounts } from '../../src/kernel/counts.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { hasMoreValues } from '../../src/kernel/json-size.ts';
import { wordsOf } from '../../src/kernel/mutation.ts';
import { isForeign } from '../shared/session.ts';
import { flow, type Pace, paceOf } from './flow.ts';
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

export interface Peer {
  /** Sends a ping. Closes the connection after four unanswered ones. */
  beat(): void;
  /** Closes the connection when running operations are done. Resolves when it is closed. */
  leave(code: number, reason: string): Promise<void>;
  terminate(): void;
  /** Resolves when the client has authenticated, which may never happen. */
  readonly welcomed: Promise<void>;
  readonly closed: Promise<void>;
}

/** Maximum concurrent operations of one connection. */
export const OPERATIONS = 100;
/** ms from the connection to its `connection_init`. */
export const INIT_TIMEOUT = 5_000;
/** Maximum unanswered pings of an open connection. */
const SILENCE = 3;
/** Close code for a temporary condition. */
const TRY_LATER = 1013;
/** Maximum characters of a reason, because a close frame has 123 bytes for it. */
const REASON = 120;

type Errors = NonNullable<FormattedExecutionResult['errors']>;
/** Connection state for the protocol's hooks. */
interface Extra {
  readonly begin: (id: string, payload: unknown) => Promise<Outcome>;
  readonly welcome: (params: Readonly<Record<string, unknown>>) => Promise<boolean>;
  readonly failed: (failure: unknown) => Errors;
}
/** Outcome of an operation: refused before execution, a single result, or a stream of results. */
type Outcome = { readonly errors: Errors } | { readonly result: unknown };

/** Errors sent unchanged, although graphql-ws formats all others. */
class Refusal extends GraphQLError {
  readonly errors: Errors;
  constructor(errors: Errors) {
    super(errors[0]?.message ?? '');
    this.errors = errors;
  }
}

/** A stand-in operation for graphql-ws, which executes nothing here: it sees a subscription with an existing result. */
const SEEN = { schema: new GraphQLSchema({}), document: parse('subscription { it }') };

/** A function that serves a new connection. */
export function createPeers(options: PeerOptions) {
  const { server, subscriptions, keyHeaders, siteUrl, onDefect } = options;
  const callers = createCounts();
  const protocol = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: INIT_TIMEOUT,
    onConnect: ({ connectionParams = {}, extra }) => extra.welcome(connectionParams),
    async onSubscribe({ extra }, id, payload) {
      const outcome = await extra.begin(id, payload);
      return 'errors' in outcome ? [new Refusal(outcome.errors)] : { ...SEEN, contextValue: outcome.result };
    },
    subscribe: ({ contextValue }) => contextValue as never,
    onNext: (_ctx, _id, _payload, _args, result) => result as never, // its errors are formatted already
    onError: ({ extra }, _id, _payload, [error]) =>
      error instanceof Refusal ? error.errors : extra.failed(error?.originalError ?? error),
  });

  return function connect(socket: WebSocket, connection: Duplex, req: IncomingMessage): Peer {
    const gone = new AbortController();
    let onWelcome = () => {};
    const welcomed = new Promise<void>((resolve) => (onWelcome = resolve));
    const pace = paceOf(socket, connection, sign);
    let asking = req;
    let caller: string | null = null;
    let underWay = 0;
    let answering = 0;
    let leaving: [number, string] | null = null;
    let silence = 0;

    function sign(): void {
      silence = 0;
    }
    const hasKey = () => keyHeaders.some((name) => asking.headers[name]);
    const call = async (): Promise<Call> => ({
      ...(await options.callFor(asking, !isForeign(req, siteUrl))),
      gone: gone.signal,
    });

    function close(code: number, reason: string): void {
      socket.close(code, reason.slice(0, REASON));
    }

    function closeIfIdle(): void {
      if (leaving && answering === 0) close(...leaving);
    }

    function leave(code: number, reason: string): void {
      leaving ??= [code, reason];
      closeIfIdle();
    }

    /** Counts the connection towards its caller's limit. */
    async function welcome(params: Readonly<Record<string, unknown>>): Promise<boolean> {
      asking = withKey(req, params, keyHeaders);
      try {
        const who = callerOf((await call()).actor);
        const count = callers.of(who);
        if (gone.signal.aborted) return false;
        if (count >= options.maxPerCaller) {
          close(
            TRY_LATER,
            `LIMIT: you have reached your limit of ${count} connections (catalog.limits.streams_per_caller)`,
          );
          return false;
        }
        caller = who;
        callers.add(who);
        onWelcome();
        return true;
      } catch (failure) {
        if (!(failure instanceof CatalogError)) throw failure;
        close(failure.kind === 'UNAVAILABLE' ? TRY_LATER : CloseCode.Forbidden, `${failure.kind}: ${wordsOf(failure)}`);
        return false;
      }
    }

    async function begin(id: string, payload: unknown): Promise<Outcome> {
      if (leaving || underWay >= OPERATIONS) return refusal('LIMIT', leaving ? LEAVING : TOO_MANY);
      underWay += 1;
      answering += 1;
      let isStream = false;
      try {
        const answer = await server.follow({
          parameters: parametersOf(payload),
          // Browsers send cookies automatically, API keys not.
          onlyReads: !hasKey() && asking.headers.cookie !== undefined,
          headers: asking.headers,
          requestId: randomUUID(),
          call,
        });
        if (!('stream' in answer)) return outcomeOf(answer);
        isStream = true;
        return {
          result: flow(id, answer.stream, pace, () => {
            underWay -= 1;
          }),
        };
      } catch (failure) {
        if (failure instanceof UnreadableRequest) return refusal(failure.code, failure.message);
        throw failure;
      } finally {
        answering -= 1;
        if (!isStream) underWay -= 1;
        setImmediate(closeIfIdle); // after the response
      }
    }

    /** A stream that ends at server shutdown is resumed on a new connection by its client. */
    function failed(failure: unknown): Errors {
      const error = subscriptions.formatted(failure);
      if (error.extensions?.code === 'UNAVAILABLE') leave(1012, error.message);
      return [error];
    }

    const onClose = protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) =>
          new Promise((resolve, reject) => {
            if (socket.readyState !== socket.OPEN) resolve();
            else socket.send(text, (failure) => (failure ? reject(failure) : resolve()));
          }),
        close: (code, reason) => close(code ?? 1000, reason ?? ''),
        onMessage: (take) => {
          socket.on('message', (data) => {
            sign();
            void holdBack(socket, connection, pace);
            const text = String(data);
            if (hasMoreValues(text, options.values))
              return close(CloseCode.BadRequest, `More than ${options.values} values (catalog.limits.json_values)`);
            take(text).catch((failure: unknown) => {
              if (gone.signal.aborted) return;
              onDefect(failure);
              close(CloseCode.InternalServerError, 'Internal error');
            });
          });
        },
      },
      { begin, welcome, failed },
    );
    socket.on('pong', sign);
    socket.on('ping', () => {
      sign();
      void holdBack(socket, connection, pace);
    });
    socket.on('error', () => {}); // errors of the client: the connection closes with them
    const closed = new Promise<void>((resolve) => {
      socket.once('close', (code, reason) => {
        gone.abort();
        if (caller !== null) callers.remove(caller);
        onClose(code, String(reason)).catch(onDefect);
        resolve();
      });
    });

    return {
      welcomed,
      closed,
      terminate: () => socket.terminate(),
      leave: (code, reason) => {
        leave(code, reason);
        return closed;
      },
      beat() {
        silence += 1;
        if (silence > SILENCE) socket.terminate();
        else if (!connection.writableNeedDrain) socket.ping();
      },
    };
  };
}

const TOO_MANY = `The connection has reached its limit of ${OPERATIONS} concurrent operations: complete one first, or open another connection`;
const LEAVING = 'The connection is being closed. Connect again.';

const refusal = (code: string, message: string): Outcome => ({ errors: [{ message, extensions: { code } }] });

const READS_ONLY =
  'A WebSocket authenticated by a cookie is read-only: send mutations with POST, or set a key or token in `authorization` of connection_init';

function outcomeOf({ status, result }: GraphAnswer): Outcome {
  if (status === 405) return refusal('VALIDATION', READS_ONLY);
  return result.data === undefined && result.errors ? { errors: result.errors } : { result };
}

/** Stops reading from a client that does not consume its results. */
async function holdBack(socket: WebSocket, connection: Duplex, { drained }: Pace): Promise<void> {
  if (!connection.writableNeedDrain || socket.isPaused) return;
  socket.pause();
  await drained();
  socket.resume();
}

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
