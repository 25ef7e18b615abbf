/** Answers requests of a row: statuses, Location, ETag and JSONP of the legacy interfaces. Independent of individual rows. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { notAuthorized } from '../../src/kernel/errors.ts';
import { toJsonText } from '../../src/kernel/json.ts';
import { checkText } from '../../src/kernel/text.ts';
import type { Raw } from '../../src/records/form/readers.ts';
import { type BodyLimits, checkValues, parseJsonObject, readBody, UnreadableBody } from '../shared/bodies.ts';
import { isUnchanged } from '../shared/conditions.ts';
import { entityTag, ifMatch, JSON_TYPE, queryOf, retryHeader, sendText } from '../shared/http.ts';
import { isCallback, jsonp } from '../shared/jsonp.ts';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';
import { mediaTypeOf } from '../shared/media-type.ts';
import { reportUse } from '../shared/usage.ts';
import type { LegacyRequest, Row } from './define.ts';
import { badRequest, refusalOf } from './errors.ts';

export interface LegacyOptions {
  readonly run: RunOperation;
  /** The call of a request. `anonymously`: ignores the request's key (JSONP). */
  readonly callFor: (req: IncomingMessage, anonymously: boolean) => Call | Promise<Call>;
  readonly siteUrl: string;
  /** Limits on the size of a body. */
  readonly limits: BodyLimits;
  /** Called for defects. Answers stay masked. */
  readonly onDefect: (thrown: unknown, path: string, req: IncomingMessage) => void;
}

/** The URL path of a request. The prefix determines the version. */
export interface Address {
  readonly prefix: string;
  readonly version: LegacyVersion;
  readonly path: Readonly<Record<string, string>>;
}

const WRITES: ReadonlySet<Row['method']> = new Set(['POST', 'PUT', 'DELETE']);
/** Maximum fields of one form. */
const MAX_FIELDS = 1_000;
/** Responses of one URL differ by key, so shared caches must not store them. */
const PRIVATE = { 'cache-control': 'private, no-cache' } as const;

/** Returns a function that answers requests of rows. It always answers and never throws. */
export function createLegacyHandler({ run, callFor, siteUrl, limits, onDefect }: LegacyOptions) {
  return async function handle(req: IncomingMessage, res: ServerResponse, row: Row, address: Address): Promise<void> {
    const { callback, ...query } = queryOf(req.url ?? '');
    const wrapped = req.method === 'GET' && typeof callback === 'string' ? callback : undefined;
    let request: LegacyRequest | undefined;
    try {
      if (wrapped !== undefined && !isCallback(wrapped))
        throw new UnreadableBody('callback is not the name of a function');
      const call = await callFor(req, wrapped !== undefined);
      // Required by the contract, even if the settings allow anonymous writes.
      if (WRITES.has(row.method) && call.actor.userId === null) throw notAuthorized('an API key is required');
      request = { ...address, query, ...(await readRequest(req, row, query, limits)), expectedVersion: ifMatch(req) };
      if (Number.isNaN(request.expectedVersion))
        throw new UnreadableBody('If-Match must be the version from an ETag of this catalog, such as "3"');
      if (request.expectedVersion !== null && WRITES.has(row.method) && !row.looksAtVersion)
        throw new UnreadableBody('If-Match is not supported here; omit the header');
      checkText(request.path);
      checkText(request.query);
      checkText(request.body, limits.json_values);
      const data = await run(row.document, row.variables(request), call);
      send(req, res, { row, request, data, callback: wrapped, base: `${siteUrl}${address.prefix}` });
      reportUse(call, req, res, row.use?.(data, request));
    } catch (thrown) {
      const refusal = refusalOf(thrown, request && row.refusedUnder?.(request), row.isSearch);
      if (!refusal) onDefect(thrown, row.path, req);
      const { status, body } = refusal ?? { status: 500, body: 'Internal server error. The error was logged.' };
      sendText(res, status, JSON_TYPE, JSON.stringify(body), { ...PRIVATE, ...retryHeader(res, status) });
    }
  };
}

async function readRequest(
  req: IncomingMessage,
  row: Row,
  query: Raw,
  limits: BodyLimits,
): Promise<{ query?: Raw; body: Raw }> {
  const type = mediaTypeOf(req);
  const posted = req.method === 'POST' || req.method === 'PUT';
  if (!posted) return { body: {} };
  const text = await readBody(req, limits.json_body);
  if (row.method === 'FORM' || (row.method === 'QUERY' && isForm(type, text)))
    return { query: { ...query, ...fieldsOf(text) }, body: {} };
  if (text.trim() === '') {
    if (row.method === 'QUERY') return { body: {} };
    throw new UnreadableBody('JSON Error: No request body data');
  }
  return { body: await parseJsonObject(text, type, (json) => checkValues(json, limits)) };
}

interface Answered {
  readonly row: Row;
  readonly request: LegacyRequest;
  readonly data: unknown;
  /** Of JSONP. */
  readonly callback: string | undefined;
  /** URL before the path of a created object. */
  readonly base: string;
}

function send(req: IncomingMessage, res: ServerResponse, { row, request, data, callback, base }: Answered): void {
  const result = row.result(data, request);
  if (result === undefined) {
    sendText(res, 200, 'text/html; charset=utf-8', '', PRIVATE);
    return;
  }
  const body = toJsonText(result);
  const location = row.created?.(data, request) ?? null;
  const version = row.version?.(data) ?? null;
  const etag = version === null ? null : entityTag(version, body);
  const headers = {
    ...PRIVATE,
    ...(location !== null && { location: `${base}${location}` }),
    ...(etag !== null && { etag }),
  };
  if (etag !== null && req.method === 'GET' && isUnchanged(req.headers, { etag }))
    sendText(res, 304, JSON_TYPE, '', headers);
  else if (callback !== undefined)
    sendText(res, 200, 'application/javascript;charset=utf-8', jsonp(callback, body), headers);
  else sendText(res, row.created ? 201 : 200, JSON_TYPE, body, headers);
}

/** Fields of a form. @throws UnreadableBody for more than MAX_FIELDS */
function fieldsOf(text: string): Raw {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  if (fields > MAX_FIELDS) throw new UnreadableBody(`The form has more than ${MAX_FIELDS} fields`, true);
  return queryOf(`?${text}`);
}

/** Whether the body has form fields. Some clients send JSON with the content type of a form. */
const isForm = (type: string, text: string): boolean => type.includes('urlencoded') && !/^\s*(\{|%7b)/i.test(text);

/** Answers a request for an operation that a known register does not support. */
export const sendBadRequest = (res: ServerResponse, why: string): void =>
  sendText(res, 400, JSON_TYPE, JSON.stringify(badRequest(why).body));
