/** Graceful shutdown of a server. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';

export interface Closing {
  /** Accepts no more connections, closes idle ones at once, and waits for running requests. */
  close(): Promise<void>;
}

/** Event loop turns for accepting connections already in the queue. */
const TURNS = 3;

/**
 * Tracks the connections of a server for its shutdown. Node itself keeps those that never sent a request, and those of clients that keep
 * sending.
 */
export function closingOf(server: Server): Closing {
  /** Running responses per connection. */
  const answers = new Map<Socket, Set<ServerResponse>>();
  let isClosing = false;
  const endIfIdle = (socket: Socket) => {
    if (isClosing && answers.get(socket)?.size === 0) socket.destroySoon();
  };
  server.on('connection', (socket: Socket) => {
    answers.set(socket, new Set());
    socket.once('close', () => answers.delete(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, res: ServerResponse) => {
    const own = answers.get(socket);
    if (!own) return;
    own.add(res);
    if (isClosing) res.shouldKeepAlive = false;
    res.once('close', () => {
      own.delete(res);
      endIfIdle(socket);
    });
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => answers.delete(socket)); // the upgrade handler closes it, or re-emits it

  return {
    async close() {
      isClosing = true;
      for (let n = 0; n < TURNS; n += 1) await turn();
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
