import type { IncomingMessage, ServerResponse } from 'node:http';

/** An address with a handler of its own on plain Node HTTP. */
export interface Endpoint {
  /** Whether a request is for it. */
  owns(url: string | undefined, method: string | undefined): boolean;
  /** Always answers; throws only where the client has gone or the server has a defect. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
}
