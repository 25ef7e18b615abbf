import type { IncomingMessage, ServerResponse } from 'node:http';

/** A path with its own handler on plain Node HTTP. */
export interface Endpoint {
  /** Whether a request is for this endpoint. */
  owns(url: string | undefined, method: string | undefined): boolean;
  /** Always responds. Throws only when the client disconnects or for an internal error. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
}
