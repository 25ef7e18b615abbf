/**
 * Serves linked data: `/dataset/<name>`, `/organization/<name>`, `/group/<name>` and `/catalog`, by Accept header or suffix. Passes
 * requests for HTML to the next handler.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { RdfCroissantDocument, RdfQualityDocument } from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { compress, packingOf } from '../shared/compress.ts';
import { isUnchanged } from '../shared/conditions.ts';
import { alternates } from '../shared/formats.ts';
import { bytesOf, CORS, entityTag, retryHeader, sendText } from '../shared/http.ts';
import { preferredType } from '../shared/negotiation.ts';
import { STATUS } from '../shared/status.ts';
import { reportUse } from '../shared/usage.ts';
import { croissant } from './croissant.ts';
import { sendFeed } from './feed.ts';
import { type Chosen, chosenBy, contentType, splitSuffix, TYPES, WRITERS } from './formats.ts';
import type { Tables } from './mapping.ts';
import { qualityGraph } from './quality.ts';
import { THINGS } from './things.ts';
import { documentOf } from './write/writer.ts';

export interface RdfOptions {
  readonly run: RunOperation;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly siteUrl: string;
  readonly tables: Tables;
}

const HTML = 'text/html';
const PLAIN = 'text/plain;charset=utf-8';

type Work = (req: Request, res: Response, next: () => void) => Promise<void>;

/** GET and HEAD. Passes missing objects and requests for HTML to the next handler. */
export function rdfRouter(options: RdfOptions): Router {
  const router = Router({ caseSensitive: true });
  const answering =
    (work: Work): RequestHandler =>
    (req, res, next) => {
      work(req, res, next).catch((failure: unknown) => {
        if (!(failure instanceof CatalogError) || res.headersSent) return next(failure);
        if (failure.kind === 'NOT_FOUND') return next();
        const status = STATUS[failure.kind];
        const headers = { 'cache-control': 'no-store', vary: 'Accept', ...retryHeader(res, status) };
        sendText(res, status, PLAIN, `${failure.message}\n`, headers);
      });
    };
  for (const kind of ['dataset', 'organization', 'group'] as const)
    router.get(
      `/${kind}/:name`,
      answering((req, res, next) => answer(options, kind, req, res, next)),
    );
  router.get(
    '/dataset/:name/croissant',
    answering(async (req, res) => {
      const id = String(req.params.name);
      const call = await options.callFor(req);
      const dataset = (await options.run(RdfCroissantDocument, { id }, call)).dataset;
      const body = `${JSON.stringify(croissant(dataset, options.siteUrl), null, 2)}\n`;
      await send(req, res, { type: 'application/ld+json' }, body, {
        version: dataset.version,
        modified: null, // tables change without the dataset
        headers: {
          'cache-control': cacheControl(dataset.state === 'active' && !dataset.private),
          vary: 'Accept-Encoding',
        },
      });
      reportUse(call, req, res, { kind: 'read', of: 'dataset', id: dataset.databaseId });
    }),
  );
  router.get(
    /^\/dataset\/([^/]+)\/quality(?:\.(\w+))?$/,
    answering(async (req, res, next) => {
      const { 0: id, 1: suffix } = req.params;
      const bySuffix = suffix === undefined ? null : splitSuffix(`quality.${suffix}`).chosen;
      const chosen = suffix === undefined ? chosenBy(preferredType(req.headers.accept, TYPES) ?? '') : bySuffix;
      if (!chosen) return suffix === undefined ? refuseTypes(res, TYPES) : next();
      const dataset = (await options.run(RdfQualityDocument, { id: String(id) }, await options.callFor(req))).dataset;
      if (!dataset.quality) return next();
      await send(req, res, chosen, documentOf(WRITERS[chosen.suffix](), qualityGraph(dataset, options.siteUrl)), {
        version: dataset.version,
        modified: null, // scores change without the dataset
        headers: {
          'cache-control': cacheControl(dataset.state === 'active' && !dataset.private),
          vary: bySuffix ? 'Accept-Encoding' : 'Accept, Accept-Encoding',
        },
      });
    }),
  );
  router.get(
    /^\/catalog(?:\.\w+)?$/,
    answering(async (req, res, next) => {
      const { chosen: bySuffix } = splitSuffix(req.path);
      if (!bySuffix && req.path !== '/catalog') return next();
      const chosen = bySuffix ?? chosenBy(preferredType(req.headers.accept, TYPES) ?? '');
      if (!chosen) return refuseTypes(res, TYPES);
      await sendFeed(options, req, res, await options.callFor(req), { ...chosen, path: req.path });
    }),
  );
  return router;
}

async function answer(
  options: RdfOptions,
  kind: keyof typeof THINGS,
  req: Request,
  res: Response,
  next: () => void,
): Promise<void> {
  const { name, chosen: bySuffix } = splitSuffix(String(req.params.name));
  const type = bySuffix ? bySuffix.type : preferredType(req.headers.accept, [HTML, ...TYPES]);
  if (type === HTML) return next();
  const chosen = bySuffix ?? (type === null ? null : chosenBy(type));
  if (!chosen) return refuseTypes(res, [HTML, ...TYPES]);
  const call = await options.callFor(req);
  const thing = await THINGS[kind](options.run, name, call);
  const address = `${options.siteUrl}/${kind}/${encodeURIComponent(thing.name)}`;
  if (!bySuffix && name !== thing.name) {
    const query = req.url.indexOf('?');
    res.set({ vary: 'Accept', 'cache-control': 'no-cache' });
    return res.redirect(302, query < 0 ? address : address + req.url.slice(query));
  }
  await send(req, res, chosen, documentOf(WRITERS[chosen.suffix](), thing.graph(options)), {
    version: thing.version,
    modified: thing.modified,
    headers: {
      'cache-control': cacheControl(thing.isPublic),
      'content-location': `${address}.${chosen.suffix}`,
      link: `<${address}>; rel="alternate"; type="text/html", ${alternates(address)}`,
      vary: bySuffix ? 'Accept-Encoding' : 'Accept, Accept-Encoding',
    },
  });
  if (thing.datasetId !== null) reportUse(call, req, res, { kind: 'read', of: 'dataset', id: thing.datasetId });
}

/** Restricted content may be cached by browsers only. All caches must revalidate. */
const cacheControl = (isPublic: boolean): string => (isPublic ? 'public, no-cache' : 'private, no-cache');

interface Said {
  readonly version: number;
  /** Null when unknown. */
  readonly modified: Date | null;
  readonly headers: Readonly<Record<string, string>>;
}

/** A response with support for conditional requests. Other formats have other tags; encodings share one. */
async function send(
  req: IncomingMessage,
  res: ServerResponse,
  chosen: Pick<Chosen, 'type'>,
  body: string,
  { version, modified, headers }: Said,
): Promise<void> {
  const plain = bytesOf(body);
  const etag = entityTag(version, plain, chosen.type);
  const accepted = req.headers['accept-encoding'];
  // A compressed response is another representation, so its tag is weak. A 304 has the tag of the corresponding 200.
  const tag = packingOf(accepted, plain) === null ? etag : `W/${etag}`;
  const cacheHeaders = { ...headers, etag: tag, ...(modified && { 'last-modified': modified.toUTCString() }) };
  if (isUnchanged(req.headers, { etag, modified })) return void res.writeHead(304, { ...CORS, ...cacheHeaders }).end();
  const { bytes, encoding } = await compress(accepted, plain);
  sendText(res, 200, contentType(chosen), bytes, {
    ...cacheHeaders,
    ...(encoding && { 'content-encoding': encoding }),
  });
}

const refuseTypes = (res: ServerResponse, types: readonly string[]): void =>
  sendText(res, 406, PLAIN, `Not available in the requested format. Available: ${types.join(', ')}\n`, {
    vary: 'Accept',
  });
