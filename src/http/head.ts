/** Validates headers that a request may contain only once. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { sendText } from '../../facades/shared/http.ts';

/**
 * Problem of a request's headers; null when there is none. Of several `Host` or `Authorization` headers, Node uses the first, while a proxy
 * may use the last: they would disagree on the site or the user.
 */
export function faultOfHead({ rawHeaders }: IncomingMessage): string | null {
  let hosts = 0;
  let authorization: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      if (hosts > 1) return 'The request has more than one Host header';
    } else if (name.length === 13 && name.toLowerCase() === 'authorization') {
      const value = rawHeaders[at + 1] as string;
      if (authorization !== undefined && authorization !== value)
        return 'The request has several different Authorization headers';
      authorization = value;
    }
  }
  return null;
}

/** Sends 400 and closes the connection. */
export function refuseHead(req: IncomingMessage, res: ServerResponse, fault: string): void {
  req.resume();
  sendText(res, 400, 'text/plain;charset=utf-8', `${fault}\n`, { connection: 'close', 'cache-control': 'no-store' });
}

/** The same for a connection upgrade. */
export function refuseUpgrade(connection: Duplex, fault: string): void {
  const length = Buffer.byteLength(fault) + 1;
  connection.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${fault}\n`,
  );
}
