/** Static contents: compressed once, and sent with cache headers. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import etag from 'etag';
import { isUnchanged } from './conditions.ts';
import { CORS } from './http.ts';
import { preferredEncoding } from './negotiation.ts';

export interface Packed {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
  /** Of each form. */
  readonly etags: { readonly plain: string; readonly zipped: string };
}

export async function pack(type: string, content: string | Buffer): Promise<Packed> {
  const plain = Buffer.from(content);
  const zipped = await promisify(gzip)(plain);
  return { type, plain, zipped, etags: { plain: etag(plain), zipped: etag(zipped) } };
}

/** Serves GET and HEAD; refuses other methods. `cacheControl` is the header value. */
export function sendPacked(
  req: IncomingMessage,
  res: ServerResponse,
  { type, plain, zipped, etags }: Packed,
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
    etag: zip ? etags.zipped : etags.plain,
  };
  if (isUnchanged(req.headers, headers)) return void res.writeHead(304, headers).end();
  res.writeHead(200, { ...headers, 'content-length': body.length, ...(zip && { 'content-encoding': 'gzip' }) });
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** Eight characters of the text's hash. */
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
