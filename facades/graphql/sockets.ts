/**
 * `/graphql` over WebSocket: subscriptions, and other operations by the way, in the protocol that clients call graphql-transport-ws.
 * The package graphql-ws knows the protocol; here is who may connect, how many, how long, and at whose pace. docs/changes.md tells clients.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols } from 'graphql-ws';
import { WebSocketServer } from 'ws';
import { createCounts } from '../../src/kernel/counts.ts';
import { createPeers, type Peer, type PeerOptions } from './peer.ts';

export interface SocketOptions extends PeerOptions {
  /** Connections of this process at a time. */
  readonly max: number;
  /** Who a request would be without a key or cookie: the network that it comes from. */
  readonly networkOf: (req: IncomingMessage) => string;
}

export interface GraphqlSockets {
  /** Takes over the connection of a request for a WebSocket, or refuses it. Never throws. */
  upgrade(req: IncomingMessage, connection: Duplex, head: Buffer): void;
  /** Answers what is being answered, and closes all connections with 1012, so that clients connect again. */
  close(): Promise<void>;
}

/** Bytes of one message at most; more closes the connection with 1009. */
export const MAX_MESSAGE = 1024 * 1024;
/** ms between two looks whether readers are there. */
const BEAT = 12_000;
/** ms that a closed connection may take to be gone. */
const CLOSING = 5_000;
/** ms that operations under way may take once the server stops. */
const STOPPING = 10_000;
const FULL = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n';

/** Says that there is no room, and closes both ways: a client that keeps its own open would keep the connection, which nobody counts. */
function refuse(connection: Duplex): void {
  connection.once('error', () => {}).end(FULL, () => connection.destroy());
}

export function createSockets(options: SocketOptions): GraphqlSockets {
  const peers = new Set<Peer>();
  /** Those that have not said who they are, by their network: they would take all the room before anybody is asked for anything. */
  const unknown = createCounts();
  const connect = createPeers(options);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Each connection would take memory for it, also while nothing is sent.
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
