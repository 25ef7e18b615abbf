/** Reads the parameters of a GraphQL request from its URL or body. Refuses unreadable requests with a message. */
import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import type { GraphParameters } from '../../src/graph/server.ts';
import { isObject } from '../../src/kernel/json.ts';
import { type BodyLimits, checkValues, readBody, UnreadableBody } from '../shared/bodies.ts';

/** Error for a request that is not valid GraphQL over HTTP. Nothing has run. */
export class UnreadableRequest extends Error {
  readonly status: number;
  readonly code: 'BAD_REQUEST' | 'LIMIT';
  constructor(status: number, message: string, code: UnreadableRequest['code'] = 'BAD_REQUEST') {
    super(message.toWellFormed()); // a quoted text may be cut inside a character
    this.status = status;
    this.code = code;
  }
}

/** `isUser` is called only for large bodies. @throws UnreadableRequest */
export async function readParameters(
  req: IncomingMessage,
  limits: BodyLimits,
  isUser: () => Promise<boolean>,
): Promise<GraphParameters> {
  try {
    return parametersOf(req.method === 'POST' ? await readPosted(req, limits, isUser) : readAddress(req.url ?? ''));
  } catch (failure) {
    if (!(failure instanceof UnreadableBody)) throw failure;
    throw failure.tooLarge
      ? new UnreadableRequest(413, failure.message, 'LIMIT')
      : new UnreadableRequest(400, failure.message);
  }
}

/** The header of most clients. */
const PLAIN: Pick<ReturnType<typeof parse>, 'type' | 'parameters'> = { type: 'application/json', parameters: {} };

async function readPosted(req: IncomingMessage, limits: BodyLimits, isUser: () => Promise<boolean>): Promise<unknown> {
  const header = req.headers['content-type'] ?? '';
  const { type, parameters } = header === PLAIN.type ? PLAIN : parse(header);
  // The only type that other sites cannot post without a preflight request.
  if (type !== 'application/json')
    throw new UnreadableRequest(415, `Content-Type must be application/json (got ${header.slice(0, 100) || 'none'})`);
  if (!/^utf-?8$/i.test(parameters.charset ?? 'utf-8'))
    throw new UnreadableRequest(415, 'The charset of the body must be UTF-8');
  if (!['identity', undefined].includes(req.headers['content-encoding']))
    throw new UnreadableRequest(415, 'The body must not have a content-encoding');
  const text = await readBody(req, limits.json_body, true);
  await checkValues(text, limits, isUser);
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new UnreadableRequest(400, `The body is not JSON: ${(failure as Error).message}`);
  }
}

const NAMES = ['query', 'documentId', 'operationName', 'variables', 'extensions'] as const;
/** Parameters that are JSON texts in a URL. */
const OBJECTS: ReadonlySet<string> = new Set(['variables', 'extensions']);

function readAddress(url: string): Record<string, unknown> {
  const at = url.indexOf('?');
  const search = new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
  const read: Record<string, unknown> = {};
  for (const name of NAMES) {
    const [value, ...more] = search.getAll(name);
    if (more.length > 0) throw new UnreadableRequest(400, `${name} occurs more than once`);
    if (value === undefined || (value === '' && name !== 'query')) continue;
    read[name] = OBJECTS.has(name) ? jsonOf(name, value) : value;
  }
  return read;
}

function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (failure) {
    throw new UnreadableRequest(400, `${name} is not JSON: ${(failure as Error).message}`);
  }
}

/** Checks the types of the parameters. Ignores unknown ones, and treats null as omitted. @throws UnreadableRequest */
export function parametersOf(body: unknown): GraphParameters {
  if (Array.isArray(body))
    throw new UnreadableRequest(
      400,
      'Batches are not supported: send one operation per request, or one with many fields',
    );
  if (typeof body !== 'object' || body === null)
    throw new UnreadableRequest(400, 'The body must be a JSON object with the key query');
  const { query, documentId, operationName, variables, extensions } = body as Record<string, unknown>;
  const isNamed = documentId || (isObject(extensions) && (extensions as { persistedQuery?: unknown }).persistedQuery);
  if (!query && !isNamed) throw new UnreadableRequest(400, 'query or documentId is required');
  return {
    query: ofKind('query', query || null, 'a text', (value) => typeof value === 'string'),
    documentId: ofKind('documentId', documentId || null, 'a text', (value) => typeof value === 'string'),
    operationName: ofKind('operationName', operationName, 'a text', (value) => typeof value === 'string'),
    variables: ofKind('variables', variables, 'an object', isObject),
    extensions: ofKind('extensions', extensions, 'an object', isObject),
  };
}

function ofKind<Value>(name: string, value: unknown, kind: string, isKind: (value: unknown) => boolean): Value | null {
  if (value === undefined || value === null) return null;
  if (!isKind(value)) throw new UnreadableRequest(400, `${name} must be ${kind}`);
  return value as Value;
}
