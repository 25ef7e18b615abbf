/** `/graphql` on plain Node HTTP: reads the request, lets the graph's server answer, and sends the page to browsers. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphRequest, GraphServer } from '../../src/graph/server.ts';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import { type BodyLimits, checkValues, readBody, UnreadableBody } from '../shared/bodies.ts';
import { CORS, JSON_TYPE, sendText } from '../shared/http.ts';

export interface GraphqlOptions {
  readonly server: GraphServer;
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  /** How much a body may hold. */
  readonly limits: BodyLimits;
  /** Sends the page where people try queries out. */
  readonly page: (req: IncomingMessage, res: ServerResponse) => void;
}

/** True when a request is for `/graphql`, whatever its method and query. */
export const isGraphql = (url = ''): boolean => url.startsWith('/graphql') && (url.length === 8 || url[8] === '?');

/** A function that answers one request; it always answers, and throws only when the client has gone. */
export function createGraphqlHandler({ server, callFor, limits, page }: GraphqlOptions) {
  return async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'OPTIONS')
      return sendText(res, 200, 'text/plain;charset=utf-8', '', { allow: 'GET, POST, OPTIONS' });
    if (req.method === 'GET' && wantsPage(req)) return page(req, res);
    let body: unknown;
    const isUser = async () => {
      try {
        return (await callFor(req)).actor.userId !== null;
      } catch {
        return false; // said when the call is made
      }
    };
    try {
      body = await readJson(req, limits, isUser);
    } catch (failure) {
      if (!(failure instanceof UnreadableBody)) throw failure;
      return sendText(res, failure.tooLarge ? 413 : 400, JSON_TYPE, refusal(failure));
    }
    let refused = false;
    const url = req.url ?? '';
    const at = url.indexOf('?');
    const answer = await server.answer({
      method: req.method ?? 'GET',
      headers: req.headers as GraphRequest['headers'],
      search: at < 0 ? '' : url.slice(at),
      body,
      call: async () => {
        try {
          return await callFor(req);
        } catch (failure) {
          refused = failure instanceof CatalogError;
          throw failure;
        }
      },
    });
    send(res, refused ? { ...answer, status: 403 } : answer);
  };
}

/** Browsers ask for HTML and say nothing of JSON. */
function wantsPage({ headers: { accept = '' } }: IncomingMessage): boolean {
  return accept.includes('text/html') && !accept.includes('json');
}

/** The body of a JSON request; undefined for other types and methods, which the server refuses in its own words. */
async function readJson(req: IncomingMessage, limits: BodyLimits, isUser: () => Promise<boolean>): Promise<unknown> {
  if (req.method !== 'POST') return undefined;
  const text = await readBody(req, limits.json_body);
  if (!/^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')) return undefined;
  await checkValues(text, limits, isUser);
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new UnreadableBody(`The body is not JSON: ${(failure as Error).message}`);
  }
}

const refusal = ({ message, tooLarge }: UnreadableBody): string =>
  JSON.stringify({ errors: [{ message, extensions: { code: tooLarge ? 'LIMIT' : 'BAD_REQUEST' } }] });

function send(res: ServerResponse, { status, headers, body }: Awaited<ReturnType<GraphServer['answer']>>): void {
  res.writeHead(status, {
    ...CORS,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}
