/** Graceful shutdown of a server. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface Closing {
  /** Must be called at the start of each request. */
  begins(res: ServerResponse): void;
  /** Accepts no more connections, closes idle ones at once, and waits for running requests. */
  close(): Promise<void>;
}

/** Turns of the event loop without a new connection after which the queue of connections counts as empty. */
const QUIET_TURNS = 3;
/** Turns for a queue that does not end: more than the 511 connections that Node queues by default. */
const MAX_TURNS = 1_000;

/**
 * Tracks the connections of a server for its shutdown. Node itself keeps those that never sent a request, and those of clients that keep
 * sending.
 */
export function closingOf(server: Server): Closing {
  /** Running responses per connection. */
  const answers = new Map<Socket, Set<ServerResponse>>();
  let isClosing = false;
  let turnsLeft = QUIET_TURNS;
  const endIfIdle = (socket: Socket) => {
    if (isClosing && answers.get(socket)?.size === 0) socket.destroySoon();
  };
  /** One function for all responses: a closure per response costs more than its work. */
  function ended(this: ServerResponse): void {
    const { socket } = this.req;
    answers.get(socket)?.delete(this);
    endIfIdle(socket);
  }
  server.on('connection', (socket: Socket) => {
    answers.set(socket, new Set());
    turnsLeft = QUIET_TURNS;
    socket.once('close', () => answers.delete(socket));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => answers.delete(socket)); // the upgrade handler closes it, or re-emits it

  return {
    begins(res) {
      const own = answers.get(res.req.socket);
      if (!own) return;
      own.add(res);
      if (isClosing) res.shouldKeepAlive = false;
      res.on('close', ended);
    },
    async close() {
      isClosing = true;
      // Node accepts one connection per turn. The system resets those still in the queue when the server stops listening.
      for (let n = 0; n < MAX_TURNS && turnsLeft > 0; n += 1) {
        turnsLeft -= 1;
        await turn();
      }
      const closed = server.listening ? new Promise<void>((resolve) => server.close(() => resolve())) : undefined;
      await turn();
      for (const [socket, own] of answers) {
        for (const res of own) if (!res.headersSent) res.shouldKeepAlive = false;
        endIfIdle(socket);
      }
      await closed;
    },
  };
}
