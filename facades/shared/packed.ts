/** Texts that are the same for everybody: packed once, sent with what lets clients keep them. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { CORS, noneMatch } from './http.ts';
import { preferredEncoding } from './negotiation.ts';

export interface Packed {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

export async function pack(type: string, text: string): Promise<Packed> {
  const plain = Buffer.from(text);
  return { type, plain, zipped: await promisify(gzip)(plain), etag: `"${hashOf(text)}"` };
}

/** Answers GET and HEAD; every other method is refused. `cacheControl` says how long it may be kept. */
export function sendPacked(
  req: IncomingMessage,
  res: ServerResponse,
  { type, plain, zipped, etag }: Packed,
  cacheControl: string,
): void {
  const zip = preferredEncoding(req.headers['accept-encoding'], ['gzip']) !== null;
  const body = zip ? zipped : plain;
  const headers = {
    ...CORS,
    'content-type': type,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'cache-control': cacheControl,
    etag: zip ? etag.replace(/"$/, '-gzip"') : etag,
  };
  if (noneMatch(req, headers.etag)) return void res.writeHead(304, headers).end();
  res.writeHead(200, { ...headers, 'content-length': body.length, ...(zip && { 'content-encoding': 'gzip' }) });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Eight characters that tell this text from others. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
