/** Sends kept files: conditions, parts, and headers that let nothing in a file run in the name of the site. */
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
  /** Those of one, or a part of them; null when they are not there. */
  readonly open: (etag: string, part?: Part) => Promise<Readable | null>;
  /** Whether they are there. */
  readonly has: (etag: string) => Promise<boolean>;
}

/** A file as it is sent. */
export interface Sent extends MediaType {
  readonly name: string;
  readonly size: string | number;
  readonly etag: string;
  readonly createdAt: string;
  /** Who may keep it, and for how long. */
  readonly cacheControl: string;
}

/** Answers with the file, a part of it, or that it is unchanged. False when its bytes are not there. */
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
  await pipeline(bytes, res).catch(() => res.destroy()); // the client went away, or the store did: the length tells
  return true;
}

/** Nothing in a file may run in the name of the site: browsers save what they could run, and guess no types. */
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
