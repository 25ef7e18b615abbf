/** `/graphql` on plain Node HTTP: reads the request, lets the graph's server answer, and sends the page to browsers. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import etag from 'etag';
import type { GraphAnswer, GraphRequest, GraphServer, GraphStream } from '../../src/graph/server.ts';
import type { Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { BodyLimits } from '../shared/bodies.ts';
import { compress } from '../shared/compress.ts';
import { isUnchanged } from '../shared/conditions.ts';
import type { Endpoint } from '../shared/endpoint.ts';
import { ALWAYS, bytesOf, preflight, retryHeader } from '../shared/http.ts';
import { mediaTypeOf } from '../shared/media-type.ts';
import { preferredType } from '../shared/negotiation.ts';
import { isResult, sendResults } from './events.ts';
import { readParameters, UnreadableRequest } from './parameters.ts';

export interface GraphqlOptions {
  readonly server: GraphServer;
  readonly subscriptions: Pick<Subscriptions, 'formatted'>;
  /** `cookies`: whether a cookie may tell who is asking. */
  readonly callFor: (req: IncomingMessage, cookies: boolean) => Call | Promise<Call>;
  /** How much a body may hold. */
  readonly limits: BodyLimits;
  /** The header for API keys, beside the usual ones (apikey_header_name). */
  readonly keyHeader: string;
  /** Sends the page where people try queries out. */
  readonly page: (req: IncomingMessage, res: ServerResponse) => void;
}

/** The first is what clients get that do not say; the last is a stream of results. */
const EVENTS = 'text/event-stream';
const TYPES = ['application/json', 'application/graphql-response+json', EVENTS] as const;
type Type = (typeof TYPES)[number];
const METHODS = 'GET, HEAD, POST, OPTIONS';
/** Headers that a page of another site cannot send without asking first, and that it is not allowed when it asks. */
const PREFLIGHTED = ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'] as const;

/** True when a request is for `/graphql`, whatever its method and query. */
export const isGraphql = (url = ''): boolean => url.startsWith('/graphql') && (url.length === 8 || url[8] === '?');

export function createGraphql(options: GraphqlOptions): Endpoint {
  const { server, subscriptions, keyHeader, page } = options;
  /** What an answer hangs on: who asks, and in which form. */
  const vary = ['Accept', 'Accept-Encoding', 'Authorization', 'Cookie', 'X-CKAN-API-Key', keyHeader].join(', ');

  const beforehand = { ...preflight(keyHeader), allow: METHODS, 'content-length': '0' };

  return { owns: isGraphql, handle };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'OPTIONS') return void res.writeHead(200, beforehand).end();
    if (req.method === 'GET' && wantsPage(req)) return page(req, res);
    const requestId = requestIdOf(req);
    const type = preferredType(req.headers.accept, TYPES);
    if (type === EVENTS && req.method !== 'HEAD') return stream(req, res, requestId);
    const answer = await answerTo(options, req, type, requestId, server.answer, (call) => call);
    // A request that could be read is answered 200 in the older type, as GraphQL over HTTP has it: its errors are in the body.
    const status = answer.status === 400 && answer.wasRead && type === TYPES[0] ? 200 : answer.status;
    await sendAnswer(req, res, { ...answer, status }, type, requestId);
  }

  /** Answers as events, also what has one result; what concerns the whole request is answered as in JSON. */
  async function stream(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const answer = await answerTo(options, req, EVENTS, requestId, server.follow, (call) => ({
      ...call,
      gone: gone.signal,
    }));
    if ('stream' in answer || (answer.wasRead && isResult(answer)))
      return sendResults(res, answer, subscriptions.formatted, { vary, 'x-request-id': requestId });
    await sendAnswer(req, res, answer, TYPES[1], requestId);
  }

  async function sendAnswer(
    req: IncomingMessage,
    res: ServerResponse,
    answer: GraphAnswer,
    type: Type | null,
    requestId: string,
  ): Promise<void> {
    const text = JSON.stringify(answer.result);
    await send(req, res, text, answer.status, {
      vary,
      ...(answer.status === 405 && { allow: METHODS }),
      ...(answer.headers['cache-control'] && { etag: etag(text, { weak: true }) }),
      'cache-control': 'no-store',
      ...retryHeader(res, answer.status),
      ...answer.headers,
      'x-request-id': requestId,
      'content-type': `${type ?? TYPES[0]}; charset=utf-8`,
    });
  }
}

/** Reads a request and asks the server of the graph; unreadable requests are answered here. */
async function answerTo<Answer extends GraphAnswer | GraphStream>(
  { callFor, limits }: GraphqlOptions,
  req: IncomingMessage,
  type: Type | null,
  requestId: string,
  ask: (request: GraphRequest) => Promise<Answer>,
  more: (call: Call) => Call,
): Promise<(Answer | GraphAnswer) & { wasRead?: true }> {
  const call = async () => more(await callFor(req, isSafeFromForgery(req)));
  const isUser = async () => {
    try {
      return (await call()).actor.userId !== null;
    } catch {
      return false; // said when the call is made
    }
  };
  try {
    if (!['GET', 'HEAD', 'POST'].includes(req.method ?? ''))
      throw new UnreadableRequest(405, `${req.method} is not supported: send the operation with GET or POST`);
    if (type === null) throw new UnreadableRequest(406, `Accept must include ${TYPES.join(' or ')}`);
    const parameters = await readParameters(req, limits, isUser);
    const answer = await ask({
      onlyReads: req.method !== 'POST',
      headers: req.headers,
      parameters,
      requestId,
      call,
    });
    return { ...answer, wasRead: true };
  } catch (failure) {
    if (!(failure instanceof UnreadableRequest)) throw failure;
    const { status, message, code } = failure;
    return { status, headers: {}, result: { errors: [{ message, extensions: { code } }] } };
  }
}

/** Browsers ask for HTML first and say nothing of JSON. */
function wantsPage({ headers: { accept = '' } }: IncomingMessage): boolean {
  return !accept.includes('json') && preferredType(accept, [...TYPES, 'text/html']) === 'text/html';
}

/**
 * Whether no other site can have made a browser send this: it posts JSON, or has a header that sites must ask for. Any page can
 * make a browser GET an address, with its cookies: such a request is answered as if nobody had sent it.
 */
function isSafeFromForgery(req: IncomingMessage): boolean {
  if (req.method === 'POST') return true; // other types than JSON are not read
  return PREFLIGHTED.some((name) => req.headers[name]) || mediaTypeOf(req) === 'application/json';
}

/** The id that a proxy or client has given the request, where it is fit for a log; else a new one. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:+/=@-]{1,128}$/.test(given) ? given : randomUUID();
}

async function send(
  req: IncomingMessage,
  res: ServerResponse,
  text: string,
  status: number,
  own: Readonly<Record<string, string>>,
): Promise<void> {
  const headers = [...ALWAYS];
  for (const name in own) headers.push(name, own[name] as string);
  if (own.etag && isUnchanged(req.headers, { etag: own.etag })) return void res.writeHead(304, headers).end();
  const accepted = req.headers['accept-encoding'];
  const { bytes, encoding } = accepted
    ? await compress(accepted, bytesOf(text))
    : { bytes: bytesOf(text), encoding: null };
  if (encoding) headers.push('content-encoding', encoding);
  headers.push('content-length', String(bytes.length));
  res.writeHead(status, headers);
  res.end(bytes);
}
