/** Serves `/catalog`: public datasets by page, or all of them as a stream with backpressure. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { RdfFeedDocument, RdfFeedPageDocument, RdfSiteDocument } from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { invalidField } from '../../src/kernel/errors.ts';
import { toJsonText } from '../../src/kernel/json.ts';
import { asFlag, asText, type Raw } from '../../src/records/form/readers.ts';
import { queryOf } from '../shared/http.ts';
import { sendPieces } from '../shared/pieces.ts';
import { catalogGraph, catalogText, type Site, type View } from './catalog.ts';
import { type Chosen, contentType, WRITERS } from './formats.ts';
import type { DatasetDocument } from './tables/index.ts';

export interface FeedOptions extends Site {
  readonly run: RunOperation;
}

/** Datasets per batch. */
const BATCH = 50;
const PAGE_SIZE = 100;

interface FeedRequest {
  readonly q: string;
  readonly fq: readonly string[];
  readonly modifiedSince: string;
  readonly size: number;
  readonly page: number;
  /** Cursor of the previous page's last dataset, so that concurrent writes neither hide nor repeat datasets. */
  readonly after: string | null;
  readonly all: boolean;
}

/** Sends a page, or the whole catalog. @throws CatalogError before anything is sent */
export async function sendFeed(
  options: FeedOptions,
  req: IncomingMessage,
  res: ServerResponse,
  call: Call,
  chosen: Chosen & { readonly path: string },
): Promise<void> {
  const request = readRequest(queryOf(req.url ?? ''));
  const { site } = await options.run(RdfSiteDocument, {}, call);
  const { documents, total, next } = await open(options, request, call);
  const view = request.all ? null : viewOf(options.siteUrl + chosen.path, request, total, next);
  const text = catalogText(WRITERS[chosen.suffix](), catalogGraph(site, options, view), documents, options);
  const headers = {
    'content-type': contentType(chosen),
    'cache-control': 'no-cache',
    vary: 'Accept, Accept-Encoding',
    ...(view && { link: linkOf(view) }),
  };
  await sendPieces(req, res, headers, text);
}

function readRequest(query: Raw): FeedRequest {
  const one = (name: string): string => asText([query[name] ?? ''].flat().at(-1));
  const whole = (name: string, otherwise: number): number => {
    const text = one(name);
    if (text !== '' && !/^[1-9]\d{0,8}$/.test(text)) throw invalidField(name, 'Must be an integer of 1 or more');
    return text === '' ? otherwise : Number(text);
  };
  return {
    q: one('q'),
    fq: [query.fq ?? []]
      .flat()
      .map(asText)
      .filter((filter) => filter !== ''),
    modifiedSince: instantOf(one('modified_since')),
    size: whole('rows', PAGE_SIZE),
    page: whole('page', 1),
    after: one('after') || null,
    all: asFlag(one('all')),
  };
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/i;

/** A day or an instant, UTC by default; empty when omitted. */
function instantOf(text: string): string {
  if (text === '') return '';
  const time = DATE.test(text)
    ? Date.parse(/T|:/.test(text) && !/(?:Z|[+-]\d{2}:\d{2})$/i.test(text) ? `${text}Z` : text)
    : Number.NaN;
  if (Number.isNaN(time))
    throw invalidField('modified_since', 'Must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z');
  return new Date(time).toISOString();
}

const filtersOf = ({ fq, modifiedSince }: FeedRequest): string[] => [
  ...fq,
  ...(modifiedSince === '' ? [] : [`metadata_modified:[${modifiedSince} TO *]`]),
];

interface Opened {
  readonly documents: AsyncIterable<DatasetDocument> | Iterable<DatasetDocument>;
  readonly total: number;
  /** Cursor of the page's last dataset, when known in advance. */
  readonly next: string | null;
}

/** Reads the first datasets before sending anything, so that an invalid search gets an error response. */
async function open({ run }: FeedOptions, request: FeedRequest, call: Call): Promise<Opened> {
  const search = { query: request.q, filters: filtersOf(request) };
  if (!request.all && request.page > 1 && request.after === null) {
    const start = (request.page - 1) * request.size;
    const input = { ...search, sort: 'name asc', rows: request.size, start };
    const { count, results } = (await run(RdfFeedPageDocument, { input }, call)).datasetSearch;
    return { documents: results.map(documentIn), total: count, next: null };
  }
  const first = request.all ? BATCH : request.size;
  const begin = (await run(RdfFeedDocument, { ...search, first, after: request.after, count: true }, call)).search;
  const total = begin.totalCount ?? 0;
  if (!request.all) {
    const { hasNextPage, endCursor } = begin.pageInfo;
    return { documents: begin.nodes.map(documentIn), total, next: hasNextPage ? (endCursor ?? null) : null };
  }
  async function* everything(): AsyncGenerator<DatasetDocument> {
    for (let { nodes, pageInfo } = begin; ; ) {
      yield* nodes.map(documentIn);
      if (!pageInfo.hasNextPage) return;
      const page = { ...search, first: BATCH, after: pageInfo.endCursor ?? null, count: false };
      ({ nodes, pageInfo } = (await run(RdfFeedDocument, page, call)).search);
    }
  }
  return { documents: everything(), total, next: null };
}

const documentIn = ({ document }: { readonly document: unknown }): DatasetDocument =>
  JSON.parse(toJsonText(document)) as DatasetDocument;

function viewOf(base: string, request: FeedRequest, total: number, cursor: string | null): View {
  const last = Math.max(1, Math.ceil(total / request.size));
  const address = (page: number, after?: string | null): string => {
    const query = new URLSearchParams(request.fq.map((filter) => ['fq', filter]));
    if (request.q !== '') query.set('q', request.q);
    if (request.modifiedSince !== '') query.set('modified_since', request.modifiedSince);
    if (request.size !== PAGE_SIZE) query.set('rows', String(request.size));
    query.set('page', String(page));
    if (after) query.set('after', after);
    return `${base}?${query}`;
  };
  const { page } = request;
  return {
    page: address(page),
    first: address(1),
    previous: page > 1 ? address(Math.min(page - 1, last)) : null,
    next: cursor !== null || page < last ? address(page + 1, cursor) : null,
    last: address(last),
    total,
    size: request.size,
  };
}

const linkOf = (view: View): string =>
  (['first', 'previous', 'next', 'last'] as const)
    .flatMap((way) => (view[way] === null ? [] : [`<${view[way]}>; rel="${way === 'previous' ? 'prev' : way}"`]))
    .join(', ');
