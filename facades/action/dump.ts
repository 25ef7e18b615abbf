/**
 * Serves `/datastore/dump/<id>`: a whole table as a file. Neither an action nor a GraphQL operation, because the response is a stream of
 * any length. Accepts the parameters of datastore_search, and its service checks the same policy.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Router } from 'express';
import { type Call, logOf } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { dispositionOf } from '../shared/disposition.ts';
import { CORS, queryOf, retryHeader, sendText } from '../shared/http.ts';
import { STATUS } from '../shared/status.ts';
import { reportUse } from '../shared/usage.ts';
import { choice, clauses, filters, names, whole, words } from './datastore/inputs.ts';
import type { Raw, Read } from './define.ts';
import { cutSlow } from './pace.ts';
import { flag, readParams, text } from './params.ts';

export interface DumpOptions {
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly open: (
    call: Call,
    input: { resourceId: string } & ReturnType<typeof readInput>,
  ) => Promise<{ before: string; rows: Readable; after: string }>;
  readonly mayOpen: (call: Call, resourceId: string) => Promise<void>;
}

export const DUMP_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xml: 'text/xml; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  parquet: 'application/vnd.apache.parquet',
};

/** Minimum speed of a reader: about 9 KB per second. */
const PACE = { period: 2 * 60 * 1000, least: 2 ** 20 };

export const dumpParams = {
  format: choice('Format of the file. Default: csv.', Object.keys(DUMP_TYPES)),
  bom: flag('Begins the file with a byte order mark, so that spreadsheets detect UTF-8.'),
  filters: filters('Dictionary of field to value, list of values, or comparisons such as {"gte": 1, "lt": 5}.'),
  q: words('Words to find anywhere in a record, or a dictionary of field to words.'),
  full_text: text('Words to find anywhere in a record, in addition to a `q` of fields.'),
  plain: flag("False if `q` uses PostgreSQL's search syntax (fish & !cod, pre:*).", true),
  language: text('Language of `q`. Default: english.'),
  fields: names('Fields of the file, in this order. Default: all.'),
  sort: clauses('Fields to sort by, each followed by `asc` or `desc`. Default: `_id`.'),
  limit: whole('Maximum number of results. Default: all.'),
  offset: whole('Number of results to skip.'),
  distinct: flag('Returns identical records once.'),
};

/** Parses the query as datastore_search does. @throws CatalogError VALIDATION */
function readInput(query: Raw) {
  const { full_text: fullText, format, bom, ...others } = readParams(dumpParams, query) as Read<typeof dumpParams>;
  return { ...others, fullText, format: format ?? 'csv', bom };
}

/** Routes for GET, HEAD and POST. */
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
    const input = readInput(query);
    const { format } = input;
    if (req.method === 'HEAD') {
      await mayOpen(call, resourceId);
      return void res.writeHead(200, headersOf(resourceId, format)).end();
    }
    const { before, rows, after } = await open(call, { ...input, resourceId });
    res.writeHead(200, headersOf(resourceId, format));
    if (!input.offset) reportUse(call, req, res, { kind: 'download', of: 'resource', id: resourceId });
    cutSlow(res, PACE);
    if (before !== '') res.write(before);
    try {
      await pipeline(rows, res, { end: false });
      res.end(after);
    } catch (failure) {
      if (!res.destroyed) logOf(call).error({ err: failure, table: resourceId }, 'table download failed');
      res.destroy(); // the client disconnected, or reading failed: an incomplete file must not look complete
    }
  }
  return router;
}

const headersOf = (name: string, format: string): Record<string, string> => ({
  ...CORS,
  'content-type': DUMP_TYPES[format] ?? 'application/octet-stream',
  'content-disposition': dispositionOf(`${name}.${format}`, false),
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
});

function refuse(res: ServerResponse, { kind, message }: CatalogError): void {
  const text = message.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const title = { NOT_FOUND: 'Not found', NOT_AUTHORIZED: 'Access denied' }[kind as string] ?? 'Refused';
  const status = STATUS[kind];
  const page = `<!doctype html><title>${title}</title><h1>${title}</h1><p>${text}</p>`;
  sendText(res, status, 'text/html; charset=utf-8', page, retryHeader(res, status));
}
