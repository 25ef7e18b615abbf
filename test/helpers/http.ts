/** A local HTTP server for one test, in place of remote servers that the catalog calls. */
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ElsewhereServer {
  /** Name and port. */
  readonly host: string;
  readonly base: string;
  /** Cuts all connections. */
  stop(): Promise<void>;
}

export async function serveElsewhere(answer: RequestListener): Promise<ElsewhereServer> {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    base: `http://${host}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
