/** One client over WebSocket: who it is, what it may have under way at a time, and how its operations are answered. */
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
  /** `cookies`: whether a cookie may tell who is asking. */
  readonly callFor: (req: IncomingMessage, cookies: boolean) => Call | Promise<Call>;
  /** Headers that may carry a key or token, in small letters; parameters of `connection_init` so called count as well. */
  readonly keyHeaders: readonly string[];
  /** Address of the site: only its own pages count for the session of who opens them. */
  readonly siteUrl: string;
  /** Connections of one caller at a time. */
  readonly maxPerCaller: number;
  /** Values in one message, at most. */
  readonly values: number;
  readonly onDefect: (thrown: unknown) => void;
}

export interface Peer {
  /** Asks whether the client is there; who says nothing four times is not. */
  beat(): void;
  /** Closes the connection once what is being answered is answered. Resolves when it is closed. */
  leave(code: number, reason: string): Promise<void>;
  terminate(): void;
  /** Its client has said who it is, and counts as that. It may never resolve. */
  readonly welcomed: Promise<void>;
  readonly closed: Promise<void>;
}

/** Operations that one connection may have under way at a time. */
export const OPERATIONS = 100;
/** ms from the connection to its `connection_init`. */
export const INIT_TIMEOUT = 5_000;
/** Looks in a row at which a client that does not answer still counts as there. */
const SILENCE = 3;
/** Closes a connection that may be opened again in a while. */
const TRY_LATER = 1013;
/** Characters of a reason at most: a close frame has 123 bytes for it. */
const REASON = 120;

type Errors = NonNullable<FormattedExecutionResult['errors']>;
/** What the protocol's hooks know of a connection. */
interface Extra {
  readonly begin: (id: string, payload: unknown) => Promise<Outcome>;
  readonly welcome: (params: Readonly<Record<string, unknown>>) => Promise<boolean>;
  readonly failed: (failure: unknown) => Errors;
}
/** What comes of an operation: refused before anything ran, or a result, or results that go on. */
type Outcome = { readonly errors: Errors } | { readonly result: unknown };

/** Errors that go out as they are, through a package that makes its own of all others. */
class Refusal extends GraphQLError {
  readonly errors: Errors;
  constructor(errors: Errors) {
    super(errors[0]?.message ?? '');
    this.errors = errors;
  }
}

/** What graphql-ws wants to see of an operation, for it runs none: each is a subscription to it, and its result one that is there. */
const SEEN = { schema: new GraphQLSchema({}), document: parse('subscription { it }') };

/** A function that speaks with whoever is at the other end of a new connection. */
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
    onNext: (_ctx, _id, _payload, _args, result) => result as never, // its errors are written out already
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

    /** Counts the connection for its caller. */
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
          // A page's cookie is sent along by browsers; a key is not.
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
        setImmediate(closeIfIdle); // behind the answer
      }
    }

    /** A stream that ends with the server is taken up again on another connection, which its client makes by itself. */
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
    socket.on('error', () => {}); // of the other end: the connection is closed with it
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

/** Reads nothing more from who does not take what it asked for. */
async function holdBack(socket: WebSocket, connection: Duplex, { drained }: Pace): Promise<void> {
  if (!connection.writableNeedDrain || socket.isPaused) return;
  socket.pause();
  await drained();
  socket.resume();
}

/** The request with the keys that `connection_init` gave: browsers cannot give a WebSocket any header. */
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
