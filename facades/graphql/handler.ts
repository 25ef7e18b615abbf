/** Handles `/graphql` on plain Node HTTP: reads the request, sends the graph server's answer, and sends the page to browsers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import etag from 'etag';
import type { GraphAnswer, GraphRequest, GraphServer, GraphStream } from '../../src/graph/server.ts';
import type { Subscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { type Call, withRequest } from '../../src/kernel/call.ts';
import { requestIdOf } from '../../src/kernel/request.ts';
import type { BodyLimits } from '../shared/bodies.ts';
import { compress } from '../shared/compress.ts';
import { isUnchanged } from '../shared/conditions.ts';
import type { Endpoint } from '../shared/endpoint.ts';
import { GRAPH_ALWAYS, preflight, retryHeader, wholeOf } from '../shared/http.ts';
import { mediaTypeOf } from '../shared/media-type.ts';
import { preferredType } from '../shared/negotiation.ts';
import { noteOperation } from '../shared/operation.ts';
import { reportUse } from '../shared/usage.ts';
import { isResult, sendResults } from './events.ts';
import { readParameters, UnreadableRequest } from './parameters.ts';

export interface GraphqlOptions {
  readonly server: GraphServer;
  readonly subscriptions: Pick<Subscriptions, 'formatted'>;
  /** `cookies`: whether a cookie may authenticate the caller. */
  readonly callFor: (req: IncomingMessage, cookies: boolean) => Call | Promise<Call>;
  /** Limits on the size of a body. */
  readonly limits: BodyLimits;
  /** The site's additional header for API keys (apikey_header_name). */
  readonly keyHeader: string;
  /** Sends the page for trying queries. */
  readonly page: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
}

/** The first is the default for clients without Accept. The last is a stream of results. */
const EVENTS = 'text/event-stream';
const TYPES = ['application/json', 'application/graphql-response+json', EVENTS] as const;
type Type = (typeof TYPES)[number];
const METHODS = 'GET, HEAD, POST, OPTIONS';
/** Maximum characters of an answer that is passed to Node as text, which it writes together with the headers. Longer ones would be read twice, for their length. */
const MAX_TOGETHER = 8_192;
/** Headers that a page of another site cannot send with cookies: they need a preflight request, which never allows cookies. */
const PREFLIGHTED = ['graphql-require-preflight', 'apollo-require-preflight', 'x-apollo-operation-name'] as const;

/** Whether a request is for `/graphql`, with any method and query. */
export const isGraphql = (url = ''): boolean => url.startsWith('/graphql') && (url.length === 8 || url[8] === '?');

export function createGraphql(options: GraphqlOptions): Endpoint {
  const { server, subscriptions, keyHeader, page } = options;
  /** Request headers that the response depends on: credentials and formats. */
  const vary = ['Accept', 'Accept-Encoding', 'Authorization', 'Cookie', 'X-CKAN-API-Key', keyHeader].join(', ');

  const beforehand = { ...preflight(keyHeader), allow: METHODS, 'content-length': '0' };

  return { owns: isGraphql, handle };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'OPTIONS') return void res.writeHead(200, beforehand).end();
    if (req.method === 'GET' && wantsPage(req)) return page(req, res);
    const requestId = requestIdOf(req);
    const type = preferredType(req.headers.accept, TYPES);
    if (type === EVENTS && req.method !== 'HEAD') return stream(req, res, requestId);
    const used: { call?: Call; uses: NonNullable<Call['request']['uses']> } = { uses: [] };
    const { answer, wasRead } = await answerTo(
      options,
      req,
      type,
      requestId,
      server.answer,
      (call) => (used.call = withRequest(call, { uses: used.uses })),
    );
    // In the older media type, a readable request gets 200 with the errors in the body, as GraphQL over HTTP specifies.
    const status = answer.status === 400 && wasRead && type === TYPES[0] ? 200 : answer.status;
    await sendAnswer(req, res, answer, status, type, requestId);
    for (const use of used.uses) reportUse(used.call, req, res, use);
  }

  /** Sends results as events, including a single result. Errors of the whole request are sent as JSON. */
  async function stream(req: IncomingMessage, res: ServerResponse, requestId: string): Promise<void> {
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const { answer, wasRead } = await answerTo(options, req, EVENTS, requestId, server.follow, (call) =>
      withRequest(call, { gone: gone.signal }),
    );
    if ('stream' in answer || (wasRead && isResult(answer)))
      return sendResults(res, answer, subscriptions.formatted, { vary, 'x-request-id': requestId });
    await sendAnswer(req, res, answer, answer.status, TYPES[1], requestId);
  }

  async function sendAnswer(
    req: IncomingMessage,
    res: ServerResponse,
    answer: GraphAnswer,
    status: number,
    type: Type | null,
    requestId: string,
  ): Promise<void> {
    const { body, tagged, isWhole } = server.bodyOf(answer.result);
    const own: Record<string, string> = {
      vary,
      'cache-control': 'no-store',
      ...retryHeader(res, status),
      ...answer.headers,
      'x-request-id': requestId,
      'content-type': `${type ?? TYPES[0]}; charset=utf-8`,
    };
    if (status === 405) own.allow ??= METHODS;
    if (!isWhole) own['cache-control'] = 'no-store';
    else if (answer.headers['cache-control']) own.etag ??= etag(tagged(), { weak: true });
    const headers = [...GRAPH_ALWAYS];
    for (const name in own) headers.push(name, own[name] as string);
    if (own.etag && isUnchanged(req.headers, { etag: own.etag })) return void res.writeHead(304, headers).end();
    const accepted = req.headers['accept-encoding'];
    const { bytes, encoding } = accepted
      ? await compress(accepted, wholeOf(body))
      : { bytes: typeof body === 'string' && body.length <= MAX_TOGETHER ? body : wholeOf(body), encoding: null };
    if (encoding) headers.push('content-encoding', encoding);
    headers.push('content-length', String(Buffer.byteLength(bytes)));
    res.writeHead(status, headers).end(bytes);
  }
}

/** Reads a request and passes it to the graph server. Answers unreadable requests itself: then `wasRead` is false. */
async function answerTo<Answer extends GraphAnswer | GraphStream>(
  { callFor, limits }: GraphqlOptions,
  req: IncomingMessage,
  type: Type | null,
  requestId: string,
  ask: (request: GraphRequest) => Promise<Answer>,
  more: (call: Call) => Call,
): Promise<{ answer: Answer | GraphAnswer; wasRead: boolean }> {
  const call = async () => more(await callFor(req, isSafeFromForgery(req)));
  const isUser = async () => {
    try {
      return (await call()).actor.userId !== null;
    } catch {
      return false; // the graph server reports the error when it authenticates
    }
  };
  try {
    if (!['GET', 'HEAD', 'POST'].includes(req.method ?? ''))
      throw new UnreadableRequest(405, `${req.method} is not supported: send the operation with GET or POST`);
    if (type === null) throw new UnreadableRequest(406, `Accept must include ${TYPES.join(' or ')}`);
    const parameters = await readParameters(req, limits, isUser);
    if (parameters.operationName) noteOperation(req, parameters.operationName);
    const answer = await ask({
      onlyReads: req.method !== 'POST',
      headers: req.headers,
      parameters,
      requestId,
      call,
    });
    if ('trustedName' in answer && answer.trustedName) noteOperation(req, answer.trustedName, true);
    return { answer, wasRead: true };
  } catch (failure) {
    if (!(failure instanceof UnreadableRequest)) throw failure;
    const { status, message, code } = failure;
    return { answer: { status, headers: {}, result: { errors: [{ message, extensions: { code } }] } }, wasRead: false };
  }
}

/** Whether the client is a browser: it prefers HTML and does not mention JSON. */
function wantsPage({ headers: { accept = '' } }: IncomingMessage): boolean {
  return !accept.includes('json') && preferredType(accept, [...TYPES, 'text/html']) === 'text/html';
}

/**
 * Whether the request cannot be cross-site forgery: it posts JSON, or has a header that requires a preflight request. Any page can
 * make a browser GET a URL with its cookies. Such a request is treated as anonymous.
 */
function isSafeFromForgery(req: IncomingMessage): boolean {
  if (req.method === 'POST') return true; // bodies of other types than JSON are refused
  return PREFLIGHTED.some((name) => req.headers[name]) || mediaTypeOf(req) === 'application/json';
}
