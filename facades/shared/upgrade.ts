/** Requests that would have their connection speak another protocol from here on. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Whether a request asks for a WebSocket. */
export const wantsWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

/**
 * Answers a request for a protocol that is not spoken here as if it had not asked, as the standard wants it: some clients ask with
 * every request for HTTP/2. Node has given the connection up by then, so it gets it back, with the wish left out.
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
