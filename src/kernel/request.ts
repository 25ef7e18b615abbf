/** Facts about an HTTP request, for log lines. */
import { randomUUID } from 'node:crypto';
import type { Span } from './trace.ts';

/** Properties: a WeakMap with an entry per request makes garbage collection slower. */
const ID = Symbol('request id');
const USER = Symbol('user');
const COST = Symbol('cost');
const SPAN = Symbol('span');

/** An HTTP request, as far as this file needs it. */
export interface Origin {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  [ID]?: string;
  [USER]?: string | null;
  [COST]?: number;
  [SPAN]?: Span;
}

/** Ids of clients and proxies that are safe in a log and a header. */
const SAFE = /^[\w.:+/=@-]{1,128}$/;

const given = ({ headers }: Origin): string | null => {
  const id = headers['x-request-id'];
  return typeof id === 'string' && SAFE.test(id) ? id : null;
};

/** The X-Request-Id of a proxy or client, if it is safe. Otherwise a new id, the same at each call. */
export function requestIdOf(req: Origin): string {
  req[ID] ??= given(req) ?? randomUUID();
  return req[ID];
}

/** The field of a log line with the id; none outside requests. */
export const namedBy = (req: Origin | undefined): { readonly requestId?: string } =>
  req ? { requestId: requestIdOf(req) } : {};

export const noteUser = (req: Origin, userId: string | null): void => {
  req[USER] = userId;
};
/** Id of the authenticated user; null for anonymous callers. */
export const userIdOf = (req: Origin): string | null => req[USER] ?? null;

export const addCost = (req: Origin, cost: number): void => {
  req[COST] = (req[COST] ?? 0) + cost;
};
/** Cost of the operations of a request; null if none was charged. */
export const costOf = (req: Origin): number | null => req[COST] ?? null;

export const noteSpan = (req: Origin, span: Span): void => {
  req[SPAN] = span;
};
/** The span of a request; undefined if it has none. */
export const spanOfRequest = (req: Origin | undefined): Span | undefined => req?.[SPAN];
