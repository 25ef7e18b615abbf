/** One request on an agent's connections, with its whole response. Unlike `fetch`, it sends malformed requests unchanged. */
import http from 'node:http';

export interface Exchanged {
  readonly status: number;
  readonly text: string;
  readonly contentType: string;
}

export interface ExchangeOptions {
  readonly agent: http.Agent;
  readonly method: string;
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string | Uint8Array | undefined;
}

/** Timeout in ms. A busy machine needs long for the largest bodies. */
const TIMEOUT = 120_000;

/** @throws Error of the test's realm, so that `instanceof` works. Errors that Node throws belong to another realm. */
export function exchange(url: string, { agent, method, headers, body }: ExchangeOptions): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const fail = ({ message }: Error) => reject(new Error(message));
    const request = http.request(url, { agent, headers, method, signal: AbortSignal.timeout(TIMEOUT) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          contentType: response.headers['content-type'] ?? '',
        }),
      );
      response.on('error', fail);
    });
    request.on('error', fail);
    request.end(body);
  });
}
