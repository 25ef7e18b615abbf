/**
 * Serves `/changes`: the change log for clients without GraphQL. NDJSON pages with long polling, or an event stream (`Accept:
 * text/event-stream`). Translates parameters into two operations of the graph.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FormattedExecutionResult, print } from 'graphql';
import {
  ChangeEndDocument,
  ChangeEventsDocument,
  type ChangeEventsSubscription,
  ChangePageDocument,
  type ChangePageQueryVariables,
} from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { EventStream, Events, Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { type Call, withRequest } from '../../src/kernel/call.ts';
import { CatalogError, type ErrorKind, Gone, invalidField } from '../../src/kernel/errors.ts';
import { wordsOf } from '../../src/kernel/mutation.ts';
import type { Endpoint } from '../shared/endpoint.ts';
import { sendEvents, sharedTexts } from '../shared/events.ts';
import { CORS, JSON_TYPE, queryOf, retryHeader, sendText } from '../shared/http.ts';
import { STATUS } from '../shared/status.ts';

export interface FeedOptions {
  readonly run: RunOperation;
  readonly subscriptions: Subscriptions;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  readonly onDefect: (thrown: unknown, req: IncomingMessage) => void;
}

const NDJSON = 'application/x-ndjson; charset=utf-8';
/** Default number of changes per response. */
const USUAL = 100;

/** True when a request is for `/changes`, with any method and query. */
const isFeed = (url = ''): boolean => url.startsWith('/changes') && (url.length === 8 || url[8] === '?');

type Query = ReturnType<typeof queryOf>;

export function createFeed({ run, subscriptions, callFor, onDefect }: FeedOptions): Endpoint {
  return { owns: isFeed, handle };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'OPTIONS') return sendText(res, 200, 'text/plain;charset=utf-8', '', { allow: ALLOWED });
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return sendText(res, 405, JSON_TYPE, words({ code: 'VALIDATION', message: 'Only GET and HEAD are allowed' }), {
        allow: ALLOWED,
      });
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    try {
      const call = withRequest(await callFor(req), { gone: gone.signal });
      const query = queryOf(req.url ?? '');
      if (req.method === 'GET' && (req.headers.accept ?? '').includes('text/event-stream'))
        await sendStream(req, res, query, call);
      else await sendPage(run, req, res, query, call);
    } catch (thrown) {
      if (res.headersSent) throw thrown;
      if (thrown instanceof CatalogError) return sendError(res, thrown);
      onDefect(thrown, req);
      const message = 'Internal server error. The error was logged.';
      sendText(res, 500, JSON_TYPE, words({ code: 'INTERNAL_SERVER_ERROR', message }));
    }
  }

  async function sendStream(req: IncomingMessage, res: ServerResponse, query: Query, call: Call): Promise<void> {
    const last = req.headers['last-event-id'];
    const conditions = where(query);
    const given = typeof last === 'string' && last !== '' ? last : conditions.after;
    // Without a cursor, the end of the log is the cursor. Sent at once, so that a reader disconnected before the first event can resume.
    const after = given ?? (await run(ChangeEndDocument, {}, call)).changesEnd;
    const subscribed = await subscriptions.subscribe({
      query: EVENTS,
      variables: { ...conditions, after },
      call,
      again: () => callFor(req),
    });
    if (subscribed.errors) {
      const [{ message, extensions }] = subscribed.errors as [NonNullable<FormattedExecutionResult['errors']>[number]];
      const { code = 'VALIDATION', problems, limit, oldest } = extensions ?? {};
      return sendRefusal(res, { code: String(code), message, oldest }, Boolean(problems ?? limit));
    }
    let cursor = after;
    await sendEvents(res, {
      texts: textsOf(subscribed.stream, (it) => {
        cursor = it;
      }),
      beat: () => `id: ${cursor}\n\n`,
      stop: subscribed.stream.stop,
      end: (failure) => `event: end\ndata: ${JSON.stringify(subscriptions.formatted(failure))}\n\n`,
    });
  }
}

async function sendPage(
  run: RunOperation,
  req: IncomingMessage,
  res: ServerResponse,
  query: Query,
  call: Call,
): Promise<void> {
  const wait = numberOf(query, 'wait') ?? 0;
  const variables: ChangePageQueryVariables = { ...where(query), first: numberOf(query, 'limit') ?? USUAL };
  const { changes } = await run(ChangePageDocument, { ...variables, wait: req.method === 'HEAD' ? 0 : wait }, call);
  const { endCursor, hasNextPage } = changes.pageInfo;
  const lines = [...changes.nodes, { next: endCursor, hasMore: hasNextPage }].map(
    (line) => `${JSON.stringify(line)}\n`,
  );
  const body = Buffer.from(lines.join(''));
  res.writeHead(200, {
    ...CORS,
    'content-type': NDJSON,
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    link: `<${nextOf(req.url ?? '', endCursor!)}>; rel="next"`,
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

const EVENTS = print(ChangeEventsDocument);
const ALLOWED = 'GET, HEAD, OPTIONS';

interface Words {
  readonly code: string;
  readonly message: string;
  /** With GONE: the oldest valid cursor. */
  readonly oldest?: unknown;
}
const words = (error: Words): string => JSON.stringify({ error });

function sendError(res: ServerResponse, thrown: CatalogError): void {
  const said = thrown.problems.map(({ path, message }) => [...path.map(nameOf), message].join(': ')).join('; ');
  const oldest = thrown instanceof Gone ? thrown.oldest : undefined;
  sendRefusal(res, { code: thrown.kind, message: said || wordsOf(thrown), oldest }, thrown.problems.length > 0);
}

/**
 * As on other endpoints, except for a LIMIT that the request did not cause: too many open streams or waiting requests. That is 429, and
 * temporary.
 */
function sendRefusal(res: ServerResponse, error: Words, isAtFault: boolean): void {
  const { code } = error;
  const isFull = code === 'LIMIT' && !isAtFault;
  const status = isFull ? 429 : (STATUS[code as ErrorKind] ?? 500);
  sendText(res, status, JSON_TYPE, words(error), retryHeader(res, status));
}

/** One event per change. Browsers send its id back when they reconnect. */
const eventTexts = sharedTexts<FormattedExecutionResult>((result) => {
  const { changes } = result.data as unknown as ChangeEventsSubscription;
  return `id: ${changes.cursor}\nevent: change\ndata: ${JSON.stringify(changes)}\n\n`;
});

async function* textsOf(stream: EventStream, onCursor: (cursor: string) => void): AsyncGenerator<Buffer> {
  for await (const { results, skip, cursor } of stream as AsyncIterable<Events>) {
    yield* eventTexts(results, skip);
    if (cursor !== null) onCursor(cursor);
  }
}

function where(query: Query): Pick<ChangePageQueryVariables, 'after' | 'types'> {
  const types = textOf(query, 'types');
  return {
    after: textOf(query, 'after') ?? null,
    types: types === undefined ? null : (types.toUpperCase().split(',') as ChangePageQueryVariables['types']),
  };
}

function textOf(query: Query, name: string): string | undefined {
  const value = query[name];
  const text = Array.isArray(value) ? value.join(',') : value;
  return text === '' ? undefined : text;
}

function numberOf(query: Query, name: string): number | undefined {
  const text = textOf(query, name);
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text))
    throw invalidField(name, `Must be a whole number from 0 to 999999 (got "${text.slice(0, 60)}")`);
  return Number(text);
}

/** Parameter name for a field of the graph. */
const nameOf = (step: string | number): string | number => (step === 'first' ? 'limit' : step);

/** The same URL with the cursor after the sent changes. */
function nextOf(url: string, cursor: string): string {
  const params = new URLSearchParams(url.split('?')[1] ?? '');
  params.set('after', cursor);
  return `/changes?${params}`;
}
