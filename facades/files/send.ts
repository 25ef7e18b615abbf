/** Sends stored files: conditional requests, ranges, and headers that prevent content from running in the site's origin. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { MediaType } from '../../src/infra/files/types.ts';
import { isUnchanged } from '../shared/conditions.ts';
import { dispositionOf } from '../shared/disposition.ts';
import { CORS } from '../shared/http.ts';
import { type Part, partOf, type Representation } from './conditions.ts';

/** The bytes of files. */
export interface Bytes {
  /** The bytes of a file or a part; null when missing. */
  readonly open: (etag: string, part?: Part) => Promise<Readable | null>;
  /** Whether the bytes exist. */
  readonly has: (etag: string) => Promise<boolean>;
}

/** A file with its response headers. */
export interface Sent extends MediaType {
  readonly name: string;
  readonly size: string | number;
  readonly etag: string;
  readonly createdAt: string;
  /** Value of Cache-Control. */
  readonly cacheControl: string;
}

/** Sends the file, a part of it, or 304. Returns false when its bytes are missing. */
export async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  sent: Sent,
  { open, has }: Bytes,
): Promise<boolean> {
  const file: Representation = { etag: `"${sent.etag}"`, modified: new Date(sent.createdAt), size: Number(sent.size) };
  const headers = headersOf(sent, file);
  const end = (status: number, more: Record<string, string | number> = {}) =>
    void res.writeHead(status, { ...headers, ...more }).end();
  if (isUnchanged(req.headers, file)) {
    end(304);
    return true;
  }
  if (req.method === 'HEAD') {
    const found = await has(sent.etag);
    if (found) end(200, { 'content-length': file.size });
    return found;
  }
  const part = partOf(req.headers, file);
  if (part === 'unsatisfiable') {
    end(416, { 'content-range': `bytes */${file.size}` });
    return true;
  }
  const bytes = await open(sent.etag, part ?? undefined);
  if (!bytes) return false;
  res.writeHead(part ? 206 : 200, {
    ...headers,
    'content-length': part ? part.end - part.start + 1 : file.size,
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${file.size}` }),
  });
  await pipeline(bytes, res).catch(() => res.destroy()); // the client disconnected or the store failed: the missing length reveals it
  return true;
}

/** Prevents active content in the site's origin: browsers download such files and do not sniff types. */
function headersOf(
  { name, type, shown, cacheControl }: Sent,
  { etag, modified }: Representation,
): Record<string, string> {
  return {
    ...CORS,
    'access-control-expose-headers': 'ETag, Content-Range, Content-Disposition, Accept-Ranges',
    'content-type': type,
    'content-disposition': dispositionOf(name, shown),
    'x-content-type-options': 'nosniff',
    ...(shown ? {} : { 'content-security-policy': "default-src 'none'; sandbox" }),
    etag,
    'last-modified': modified.toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': cacheControl,
  };
}
