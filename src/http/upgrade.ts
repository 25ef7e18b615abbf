/** Requests for a connection upgrade. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a request asks for a WebSocket. */
export const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Answers a request for an unsupported protocol as if it had no Upgrade header, as the standard requires: some clients offer HTTP/2 with
 * every request. Node has already released the connection, so this function re-emits it without the header.
 */
export function answerPlainly(server: Server, req: IncomingMessage, connection: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`];
  for (let n = 0; n < req.rawHeaders.length; n += 2) {
    const [name, value] = req.rawHeaders.slice(n, n + 2) as [string, string];
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${value}`);
  }
  connection.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', connection);
}
