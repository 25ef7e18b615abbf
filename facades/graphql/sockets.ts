/**
 * Serves `/graphql` over WebSocket: subscriptions and other operations in the graphql-transport-ws protocol. The package graphql-ws
 * implements the protocol; this file limits connections, their number, duration and pace. Client docs: docs/changes.md.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { createCounts } from '../../src/kernel/counts.ts';
import type { PeerOptions } from './connection.ts';
import { createPeers, type Peer } from './peer.ts';

export interface SocketOptions extends PeerOptions {
  /** Maximum connections of this process. */
  readonly max: number;
  /** Network of an unauthenticated client. */
  readonly networkOf: (req: IncomingMessage) => string;
}

export interface GraphqlSockets {
  /** Accepts or refuses a WebSocket upgrade. Never throws. */
  upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void;
  /** Finishes running operations and closes all connections with 1012, so that clients reconnect. */
  close(): Promise<void>;
}

/** Maximum bytes of one message; larger ones close the connection with 1009. */
export const MAX_MESSAGE = 1024 * 1024;
/** ms between pings. */
const BEAT = 12_000;
/** ms for a closed connection to end. */
const CLOSING = 5_000;
/** ms for running operations at server shutdown. */
const STOPPING = 10_000;
const FULL = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n';

/** Refuses for lack of capacity and destroys the connection: a client could otherwise keep it open uncounted. */
function refuse(connection: Duplex): void {
  connection.once('error', () => {}).end(FULL, () => connection.destroy());
}

export function createSockets(options: SocketOptions): GraphqlSockets {
  const peers = new Set<Peer>();
  /** Unauthenticated connections by network, limited so that they cannot use all the capacity. */
  const unknown = createCounts();
  const connect = createPeers(options);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression would need memory per connection, even when idle.
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE,
    handleProtocols,
    ...({ closeTimeout: CLOSING } as object), // not in its types yet
  });
  const beat = setInterval(() => {
    for (const peer of peers) peer.beat();
  }, BEAT).unref();
  let isClosing = false;

  return {
    upgrade(req, connection, head) {
      const network = options.networkOf(req);
      const isFull = peers.size >= options.max || unknown.of(network) >= options.maxPerCaller;
      if (isClosing || isFull) return refuse(connection);
      server.handleUpgrade(req, connection, head, (socket) => {
        const peer = connect(socket, connection, req);
        peers.add(peer);
        unknown.add(network);
        void Promise.race([peer.welcomed, peer.closed]).then(() => unknown.remove(network));
        void peer.closed.then(() => peers.delete(peer));
      });
    },
    async close() {
      isClosing = true;
      clearInterval(beat);
      const late = setTimeout(() => {
        for (const peer of peers) peer.terminate();
      }, STOPPING);
      await Promise.all([...peers].map((peer) => peer.leave(1012, 'The server is stopping')));
      clearTimeout(late);
    },
  };
}
