/** Files of resources: `/dataset/<dataset>/resource/<resource>/download/<any name>`, streamed to whoever may see the dataset. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Router } from 'express';
import { FileDownloadDocument, type FileDownloadQuery } from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { CORS, sendText } from '../shared/http.ts';
import { isUnchanged, type Part, partOf, type Representation } from './conditions.ts';
import { dispositionOf, mediaTypeOf } from './media-types.ts';

export interface FileOptions {
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  /** The bytes of a file, or a part of them; null when they are not there. */
  readonly open: (etag: string, part?: Part) => Promise<Readable | null>;
}

type Resource = NonNullable<FileDownloadQuery['resource']>;
type StoredFile = NonNullable<Resource['file']>;

/** GET and HEAD of files. What is not there is left to whoever comes next. */
export function fileRouter(options: FileOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(
    ['/dataset/:dataset/resource/:resource/download', '/dataset/:dataset/resource/:resource/download/:name'],
    async (req, res, next) => {
      try {
        const found = await find(options, req, {
          dataset: String(req.params.dataset),
          resource: String(req.params.resource),
        });
        if (found === 'refused')
          return sendText(res, 403, HTML, '<!doctype html><title>Access denied</title><h1>Access denied</h1>');
        if (found?.file) {
          if (!(await sendFile(req, res, found.file, options))) next();
        } else if (found && isElsewhere(found.url)) res.set(CORS).redirect(302, found.url);
        else next();
      } catch (failure) {
        next(failure);
      }
    },
  );
  return router;
}

const HTML = 'text/html; charset=utf-8';

/** The resource of that dataset; null when there is none. */
async function find(
  { run, callFor }: FileOptions,
  req: IncomingMessage,
  ids: { dataset: string; resource: string },
): Promise<Resource | 'refused' | null> {
  try {
    const { dataset, resource } = await run(FileDownloadDocument, ids, await callFor(req));
    return resource!.datasetId === dataset!.databaseId ? resource! : null;
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || thrown.kind === 'UNAVAILABLE') throw thrown;
    return thrown.kind === 'NOT_AUTHORIZED' ? 'refused' : null;
  }
}

/** A link to another place. An address of this kind without a file would lead to itself. */
const isElsewhere = (url: string): boolean =>
  /^https?:\/\//i.test(url) && !/\/resource\/[^/]+\/download(\/|$)/.test(url);

/** Answers with the file, a part of it, or that it is unchanged. False when its bytes are not there. */
async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  stored: StoredFile,
  { open }: FileOptions,
): Promise<boolean> {
  const file: Representation = {
    etag: `"${stored.etag}"`,
    modified: new Date(stored.createdAt),
    size: Number(stored.size),
  };
  const headers = headersOf(stored.name, file);
  const end = (status: number, more: Record<string, string | number> = {}) =>
    void res.writeHead(status, { ...headers, ...more }).end();
  if (isUnchanged(req.headers, file)) {
    end(304);
    return true;
  }
  const part = req.method === 'GET' ? partOf(req.headers, file) : null;
  if (part === 'unsatisfiable') {
    end(416, { 'content-range': `bytes */${file.size}` });
    return true;
  }
  const bytes = await open(stored.etag, part ?? undefined);
  if (!bytes) return false;
  const length = part ? part.end - part.start + 1 : file.size;
  res.writeHead(part ? 206 : 200, {
    ...headers,
    'content-length': length,
    ...(part && { 'content-range': `bytes ${part.start}-${part.end}/${file.size}` }),
  });
  if (req.method === 'HEAD') {
    bytes.destroy();
    res.end();
  } else await pipeline(bytes, res).catch(() => res.destroy()); // the client went away, or the disk did: the length tells
  return true;
}

/** Nothing in a file may run in the name of the site: browsers save what they could run, and guess no types. */
function headersOf(name: string, { etag, modified }: Representation): Record<string, string> {
  const { type, shown } = mediaTypeOf(name);
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
    'cache-control': 'private, no-cache',
  };
}
