/** The end of a server. */
import type { Server } from 'node:http';

/** ms between two looks for connections that have become idle while the server closes. */
const CLOSING_INTERVAL = 100;

/** Requests on their way are answered; their connections are not kept any longer. */
export function closeServer(server: Server): Promise<void> {
  server.closeIdleConnections();
  if (!server.listening) return Promise.resolve();
  const closing = setInterval(() => server.closeIdleConnections(), CLOSING_INTERVAL);
  return new Promise((resolve) => {
    server.close(() => {
      clearInterval(closing);
      resolve();
    });
  });
}
