/**
 * Serves stored files: `/dataset/<dataset>/resource/<resource>/download/<any name>` to readers of the dataset, and images at
 * `/uploads/group/<name>` (also of organizations) and `/uploads/user/<name>`.
 */
import type { IncomingMessage } from 'node:http';
import express, { type Response, type Router } from 'express';
import {
  FileDownloadDocument,
  type FileDownloadQuery,
  GroupImageDocument,
  type ImageFragment,
  UserImageDocument,
} from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import { mediaTypeOf } from '../../src/infra/files/types.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { CORS, sendText } from '../shared/http.ts';
import { reportUse } from '../shared/usage.ts';
import { type Bytes, sendFile } from './send.ts';

export interface FileOptions extends Bytes {
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
}

type Resource = NonNullable<FileDownloadQuery['resource']>;

/** GET and HEAD of files. Passes unknown files to the next handler. */
export function fileRouter(options: FileOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router.get(
    ['/dataset/:dataset/resource/:resource/download', '/dataset/:dataset/resource/:resource/download/:name'],
    async (req, res, next) => {
      try {
        const ids = { dataset: String(req.params.dataset), resource: String(req.params.resource) };
        let call: Call | undefined;
        const found = await unlessRefused(async () => findResource(options, (call = await options.callFor(req)), ids));
        if (found === 'refused') deny(res);
        else if (found?.file) {
          reportUse(call, req, res, { kind: 'download', of: 'resource', id: found.databaseId });
          const sent = { ...found.file, ...mediaTypeOf(found.file.name), cacheControl: 'private, no-cache' };
          if (!(await sendFile(req, res, sent, options))) next();
        } else if (found && isElsewhere(found.url)) res.set(CORS).redirect(302, found.url);
        else next();
      } catch (failure) {
        next(failure);
      }
    },
  );
  router.get('/uploads/:owner/:name', async (req, res, next) => {
    try {
      const found = await unlessRefused(() => findImage(options, req, req.params));
      if (found === 'refused') deny(res);
      else if (!found || !(await sendFile(req, res, imageSent(found), options))) next();
    } catch (failure) {
      next(failure);
    }
  });
  return router;
}

const HTML = 'text/html; charset=utf-8';
const deny = (res: Response): void =>
  sendText(res, 403, HTML, '<!doctype html><title>Access denied</title><h1>Access denied</h1>');

/** The result of `find`; null when there is none. */
async function unlessRefused<T>(find: () => Promise<T | null>): Promise<T | 'refused' | null> {
  try {
    return await find();
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || ['UNAVAILABLE', 'RATE_LIMIT'].includes(thrown.kind)) throw thrown;
    return thrown.kind === 'NOT_AUTHORIZED' ? 'refused' : null;
  }
}

/** The resource of that dataset. */
async function findResource(
  { run }: FileOptions,
  call: Call,
  ids: { dataset: string; resource: string },
): Promise<Resource | null> {
  const { dataset, resource } = await run(FileDownloadDocument, ids, call);
  return resource.datasetId === dataset.databaseId ? resource : null;
}

async function findImage(
  { run, callFor }: FileOptions,
  req: IncomingMessage,
  { owner, name }: { owner: string; name: string },
): Promise<ImageFragment | null> {
  if (owner === 'group') return (await run(GroupImageDocument, { name }, await callFor(req))).groupImage ?? null;
  if (owner === 'user') return (await run(UserImageDocument, { name }, await callFor(req))).userImage ?? null;
  return null;
}

/** Names are never reused, so public images are cacheable; for an hour only, because the owner may be deleted. */
const imageSent = ({ mediaType, isPublic, ...image }: ImageFragment) => ({
  ...image,
  type: mediaType,
  shown: true,
  cacheControl: isPublic ? 'public, max-age=3600' : 'private, no-cache',
});

/** Whether a link leads to another URL. A download URL without a file would redirect to itself. */
const isElsewhere = (url: string): boolean =>
  /^https?:\/\//i.test(url) && !/\/resource\/[^/]+\/download(\/|$)/.test(url);
