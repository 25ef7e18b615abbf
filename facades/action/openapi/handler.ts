/** Serves `/openapi.json`; made when it is first asked for. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { JSON_TYPE } from '../../shared/http.ts';
import { type Packed, pack, sendPacked } from '../../shared/packed.ts';
import { type OpenapiOptions, openapiDocument } from './document.ts';

export function createOpenapi(options: OpenapiOptions) {
  let packed: Promise<Packed> | undefined;
  return async function openapi(req: IncomingMessage, res: ServerResponse): Promise<void> {
    packed ??= pack(JSON_TYPE, JSON.stringify(openapiDocument(options)));
    sendPacked(req, res, await packed, 'no-cache');
  };
}
