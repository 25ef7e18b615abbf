/** Serves `PUT /upload/<token>`: the bytes of a file announced on `/graphql`. The token is the only credential. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Router } from 'express';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { wordsOf } from '../../src/kernel/mutation.ts';
import { CORS, retryHeader, sendText } from '../shared/http.ts';
import { STATUS } from '../shared/status.ts';

export interface UploadOptions {
  /** Creates an anonymous call for a request. */
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  /** Receives the file of a ticket. @throws CatalogError */
  readonly receive: (
    call: Call,
    token: string,
    sent: { contentType: string | undefined; length: number | undefined; bytes: AsyncIterable<Buffer> },
  ) => Promise<void>;
}

export function uploadRouter(options: UploadOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router.put('/upload/:token', (req, res, next) => {
    answer(req, res, req.params.token, options).catch((failure: unknown) => {
      req.resume(); // clients do not read the response while they send
      if (!req.complete && req.destroyed) return; // the client disconnected
      if (!(failure instanceof CatalogError)) return next(failure);
      refuse(res, failure.kind === 'LIMIT' ? 413 : STATUS[failure.kind], failure);
    });
  });
  router.all('/upload/:token', (_req, res) => {
    res.setHeader('allow', 'PUT');
    refuse(res, 405, new CatalogError('VALIDATION', 'Send the bytes of a file with PUT'));
  });
  return router;
}

async function answer(req: IncomingMessage, res: ServerResponse, token: string, options: UploadOptions) {
  const { 'content-type': contentType, 'content-length': length } = req.headers;
  await options.receive(await options.callFor(req), token, {
    contentType,
    length: length === undefined ? undefined : Number(length),
    bytes: req.iterator({ destroyOnReturn: false }), // keeps the connection open for an error response
  });
  res.writeHead(204, { ...CORS, 'cache-control': 'no-store' }).end();
}

function refuse(res: ServerResponse, status: number, refusal: CatalogError): void {
  const { kind, problems } = refusal;
  const all = problems.length > 0 ? problems : [{ path: [], message: wordsOf(refusal) }];
  const errors = all.map(({ path, message }) => ({ code: kind, message, path }));
  sendText(res, status, 'application/json; charset=utf-8', `${JSON.stringify({ errors })}\n`, retryHeader(res, status));
}
