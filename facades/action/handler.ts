/** Handles `/api[/3]/action/<name>` on plain Node HTTP, called by the Express router and by the endpoint that runs before Express. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call } from '../../src/kernel/call.ts';
import { allow } from '../../src/kernel/errors.ts';
import { maySendFile } from '../../src/kernel/mutation.ts';
import { checkValues, parseJsonObject, readBody, UnreadableBody } from '../shared/bodies.ts';
import { isUnchanged } from '../shared/conditions.ts';
import { ifMatch, JSON_TYPE, queryOf, retryHeader, sendText, textOf } from '../shared/http.ts';
import { isCallback, jsonp } from '../shared/jsonp.ts';
import { mediaTypeOf } from '../shared/media-type.ts';
import { discardFiles, type Incoming, readMultipart } from '../shared/multipart.ts';
import { noteOperation } from '../shared/operation.ts';
import { FORM_TYPE, hasFields, parseUrlencoded } from '../shared/urlencoded.ts';
import { reportUse } from '../shared/usage.ts';
import { type Answer, type AnswerOptions, badRequest, createAnswer } from './answer.ts';
import type { Action, Raw, Special } from './define.ts';
import { unfoldForm } from './form.ts';
import { FILE } from './params.ts';

export interface ActionOptions extends AnswerOptions {
  /** The call of a request. `anonymously`: ignores the request's key (JSONP). */
  readonly callFor: (req: IncomingMessage, anonymously: boolean) => Call | Promise<Call>;
  /** Storage for uploaded files. */
  readonly incoming: Incoming;
  /** Whether form-encoded bodies are read as parameters (catalog.action_api.forms). */
  readonly readsForms: boolean;
}

type Query = ReturnType<typeof queryOf>;

/** Returns a function that answers one action request. It always answers and never throws. */
export function createActionHandler(options: ActionOptions) {
  const { find, answer, refuse } = createAnswer(options);

  return async function handle(req: IncomingMessage, res: ServerResponse, name: string): Promise<void> {
    const row = find(name);
    if (row) noteOperation(req, name, true);
    const query = queryOf(req.url ?? '');
    const callback = typeof query.callback === 'string' ? query.callback : undefined;
    const result = row
      ? await act(req, row, name, query, callback !== undefined)
      : badRequest(`Action name not known: ${name}`);
    send(req, res, result, callback);
    reportUse(result.used?.call, req, res, result.used?.use);
  };

  async function act(
    req: IncomingMessage,
    row: Action | Special,
    name: string,
    query: Query,
    anonymously: boolean,
  ): Promise<Answer> {
    if (anonymously && !isCallback(query.callback as string))
      return badRequest('callback is not the name of a function');
    const tokens: string[] = [];
    try {
      const raw = isRead(req) ? readQuery(row, query) : await readBodyOf(req, row, query, tokens, anonymously);
      const expected = ifMatch(req);
      if (Number.isNaN(expected))
        return badRequest('If-Match must be the version from an ETag of this catalog, such as "3"');
      return await answer(name, row, raw, await options.callFor(req, anonymously), expected, inAddress(raw, query));
    } catch (failure) {
      if (failure instanceof UnreadableBody) return badRequest(failure.message);
      return refuse(name, row, failure, undefined, req);
    } finally {
      if (tokens.length > 0) await discardFiles(tokens, options.incoming); // does nothing for files that the action has stored
    }
  }

  /** Parameters of a POST: the body. For a read action, a query takes precedence over the body, as clients expect. */
  async function readBodyOf(
    req: IncomingMessage,
    row: Action | Special,
    query: Query,
    tokens: string[],
    anonymously: boolean,
  ): Promise<Raw> {
    const fromQuery = withoutCallback(query);
    const type = mediaTypeOf(req);
    if (type.startsWith('multipart/')) return readForm(options, req, row, tokens, anonymously);
    const mayBeForm = options.readsForms && type === FORM_TYPE;
    const body = await readBody(req, options.limits.json_body, mayBeForm);
    if (row.kind === 'read' && Object.keys(fromQuery).length > 0) return fromQuery;
    if (body.trim() === '') {
      if (row.kind === 'read') return fromQuery;
      throw new UnreadableBody('JSON Error: No request body data');
    }
    if (mayBeForm && hasFields(body)) return unfoldForm(row.params, parseUrlencoded(body, options.limits.json_values));
    const isUser = async () => (await options.callFor(req, anonymously)).actor.userId !== null;
    return parseJsonObject(body, type, (json) => checkValues(json, options.limits, row.records ? isUser : undefined));
  }
}

/**
 * Authenticates the caller before receiving a file, because only users may use disk space. `act` authenticates again after the
 * upload, which can take an hour.
 */
async function readForm(
  options: ActionOptions,
  req: IncomingMessage,
  row: Action | Special,
  tokens: string[],
  anonymously: boolean,
): Promise<Raw> {
  const call = await options.callFor(req, anonymously);
  const fields = await readMultipart(req, {
    limit: options.limits.json_body,
    incoming: options.incoming,
    tokens,
    takesFile(name) {
      allow(maySendFile(call.actor));
      return takesFile(row, name);
    },
  });
  return unfoldForm(row.params, fields);
}

/** Whether the method is GET or HEAD. Node omits the body of a response to HEAD. */
const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** Parameters of a GET. */
function readQuery(row: Action | Special, query: Query): Raw {
  if (row.kind === 'write')
    throw new UnreadableBody('JSON Error: No request body data. This action changes data: send a POST request.');
  return withoutCallback(query);
}

/** All parameters of the URL, if the action's parameters are from the URL. Null otherwise. */
const inAddress = (raw: Raw, query: Query): Raw | null =>
  Object.keys(raw).length > 0 && Object.keys(raw).every((name) => raw[name] === query[name]) ? query : null;

function withoutCallback(query: Query): Raw {
  if (query.callback === undefined) return query;
  const { callback: _callback, ...others } = query;
  return others;
}

const takesFile = ({ params, files }: Action | Special, name: string): boolean =>
  (Object.hasOwn(params, name) && params[name]!.type === FILE) || (files?.test(name) ?? false);

function send(req: IncomingMessage, res: ServerResponse, result: Answer, callback: string | undefined): void {
  // Responses of one URL differ by key, so shared caches must not store them.
  const headers: Record<string, string> = { 'cache-control': 'private, no-cache' };
  if (!result.success) Object.assign(headers, retryHeader(res, result.status));
  if (result.deprecated) headers.deprecation = 'true';
  if (result.etag !== null) headers.etag = result.etag;
  if (result.etag !== null && isRead(req) && isUnchanged(req.headers, { etag: result.etag })) {
    sendText(res, 304, JSON_TYPE, '', headers);
  } else if (callback !== undefined && result.success) {
    sendText(res, 200, 'application/javascript;charset=utf-8', jsonp(callback, textOf(result.body)), headers);
  } else {
    sendText(res, result.status, JSON_TYPE, result.body, headers);
  }
}
