/**
 * `/datastore/dump/<id>`: a whole table as a file. No action, and no operation of the graph either: its answer is a stream of
 * any length. It takes the parameters of datastore_search, and the service that opens it asks the same policy.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Router } from 'express';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError, type ErrorKind } from '../../src/kernel/errors.ts';
import { dispositionOf } from '../shared/disposition.ts';
import { CORS, queryOf, sendText } from '../shared/http.ts';
import type { Raw, Read } from './define.ts';
import { clauses, filters, names, whole, words } from './inputs/datastore.ts';
import { flag, readParams, text } from './params.ts';

export interface DumpOptions {
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly open: (
    call: Call,
    input: { resourceId: string; format: string; bom: boolean } & ReturnType<typeof readInput>,
  ) => Promise<{ before: string; rows: Readable; after: string }>;
  readonly mayOpen: (call: Call, resourceId: string) => Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xml: 'text/xml; charset=utf-8',
};

const STATUS: Readonly<Record<ErrorKind, number>> = {
  NOT_FOUND: 404,
  NOT_AUTHORIZED: 403,
  VALIDATION: 400,
  CONFLICT: 409,
  LIMIT: 400,
  SEARCH: 400,
  UNAVAILABLE: 503,
};

const params = {
  filters: filters(''),
  q: words(''),
  full_text: text(''),
  plain: flag('', true),
  language: text(''),
  fields: names(''),
  sort: clauses(''),
  limit: whole(''),
  offset: whole(''),
  distinct: flag(''),
};

/** What is asked for, as datastore_search reads it. @throws CatalogError VALIDATION */
function readInput(query: Raw) {
  const { full_text: fullText, ...others } = readParams(params, query) as Read<typeof params>;
  return { ...others, fullText };
}

/** GET, HEAD and POST of tables. */
export function dumpRouter({ callFor, open, mayOpen }: DumpOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router.all('/datastore/dump/:id', (req, res, next) => {
    if (!['GET', 'HEAD', 'POST'].includes(req.method)) return next();
    answer(req, res, String(req.params.id)).catch((failure: unknown) => {
      if (res.headersSent || !(failure instanceof CatalogError)) return next(failure);
      refuse(res, failure);
    });
  });

  async function answer(req: IncomingMessage, res: ServerResponse, resourceId: string): Promise<void> {
    const query = queryOf(req.url ?? '');
    const call = await callFor(req);
    const format = typeof query.format === 'string' && query.format !== '' ? query.format.toLowerCase() : 'csv';
    if (req.method === 'HEAD') {
      await mayOpen(call, resourceId);
      return void res.writeHead(200, headersOf(resourceId, format)).end();
    }
    const bom = flag('').read(query.bom, 'bom') ?? false;
    const { before, rows, after } = await open(call, { ...readInput(query), resourceId, format, bom });
    res.writeHead(200, headersOf(resourceId, format));
    if (before !== '') res.write(before);
    try {
      await pipeline(rows, res, { end: false });
      res.end(after);
    } catch {
      res.destroy(); // the reader went away, or the table did: a file that is not whole must not look so
    }
  }
  return router;
}

const headersOf = (name: string, format: string): Record<string, string> => ({
  ...CORS,
  'content-type': TYPES[format] ?? 'application/octet-stream',
  'content-disposition': dispositionOf(`${name}.${format}`, false),
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
});

function refuse(res: ServerResponse, { kind, message }: CatalogError): void {
  const text = message.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const title = { NOT_FOUND: 'Not found', NOT_AUTHORIZED: 'Access denied' }[kind as string] ?? 'Refused';
  sendText(
    res,
    STATUS[kind],
    'text/html; charset=utf-8',
    `<!doctype html><title>${title}</title><h1>${title}</h1><p>${text}</p>`,
  );
}
