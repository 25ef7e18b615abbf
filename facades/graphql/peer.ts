import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GraphQLError, GraphQLSchema, parse } from 'graphql';
import { CloseCode, makeServer } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { createCounts } from '../../src/kernel/counts.ts';
import { hasMoreValues } from '../../src/kernel/json-size.ts';
import {
  begin,
  type Connection,
  close,
  type Errors,
  failed,
  leave,
  type PeerOptions,
  send,
  welcome,
} from './connection.ts';
import { type Pace, paceOf } from './flow.ts';

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

/** ms from the connection to its `connection_init`. */
export const INIT_TIMEOUT = 5_000;
/** Maximum unanswered pings of an open connection. */
const SILENCE = 3;
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
  const callers = createCounts();
  const protocol = makeServer<Record<string, unknown>, Connection>({
    connectionInitWaitTimeout: INIT_TIMEOUT,
    onConnect: ({ connectionParams = {}, extra }) => welcome(extra, connectionParams),
    async onSubscribe({ extra }, id, payload) {
      const outcome = await begin(extra, id, payload);
      return 'errors' in outcome ? [new Refusal(outcome.errors)] : { ...SEEN, contextValue: outcome.result };
    },
    subscribe: ({ contextValue }) => contextValue as never,
    onNext: (_ctx, _id, _payload, _args, result) => result as never, // its errors are formatted already
    onError: ({ extra }, _id, _payload, [error]) =>
      error instanceof Refusal ? error.errors : failed(extra, error?.originalError ?? error),
  });

  return function connect(socket: WebSocket, duplex: Duplex, req: IncomingMessage): Peer {
    let silence = 0;
    const sign = () => {
      silence = 0;
    };
    const pace = paceOf(socket, duplex, sign);
    const heard = () => {
      sign();
      void holdBack(socket, duplex, pace);
    };
    let onWelcome = () => {};
    const welcomed = new Promise<void>((resolve) => (onWelcome = resolve));
    const connection: Connection = {
      options,
      callers,
      socket,
      req,
      pace,
      gone: new AbortController(),
      onWelcome,
      asking: req,
      caller: null,
      underWay: 0,
      answering: 0,
      leaving: null,
    };
    const onClose = protocol.opened(wireOf(connection, heard), connection);
    socket.on('pong', sign);
    socket.on('ping', heard);
    socket.on('error', () => {}); // errors of the client: the connection closes with them
    const closed = new Promise<void>((resolve) => {
      socket.once('close', (code, reason) => {
        connection.gone.abort();
        if (connection.caller !== null) callers.remove(connection.caller);
        onClose(code, String(reason)).catch(options.onDefect);
        resolve();
      });
    });

    return {
      welcomed,
      closed,
      terminate: () => socket.terminate(),
      leave: (code, reason) => {
        leave(connection, code, reason);
        return closed;
      },
      beat() {
        silence += 1;
        if (silence > SILENCE) socket.terminate();
        else if (!duplex.writableNeedDrain) socket.ping();
      },
    };
  };
}

/** The connection as graphql-ws sees it. `heard` is called for each message. */
function wireOf(connection: Connection, heard: () => void) {
  const { socket, gone, options } = connection;
  return {
    protocol: socket.protocol,
    send: (text: string) => send(connection, text),
    close: (code?: number, reason?: string) => close(connection, code ?? 1000, reason ?? ''),
    onMessage: (take: (text: string) => Promise<void>) => {
      socket.on('message', (data) => {
        heard();
        const text = String(data);
        if (hasMoreValues(text, options.values))
          return close(
            connection,
            CloseCode.BadRequest,
            `More than ${options.values} values (catalog.limits.json_values)`,
          );
        take(text).catch((failure: unknown) => {
          if (gone.signal.aborted) return;
          options.onDefect(failure);
          close(connection, CloseCode.InternalServerError, 'Internal error');
        });
      });
    },
  };
}

/** Stops reading from a client that does not consume its results. */
async function holdBack(socket: WebSocket, connection: Duplex, { drained }: Pace): Promise<void> {
  if (!connection.writableNeedDrain || socket.isPaused) return;
  socket.pause();
  await drained();
  socket.resume();
}
