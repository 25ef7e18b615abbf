/** Conditional requests: whether a client already has the current representation (RFC 9110, 13). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';

/** Validators of a representation. */
export interface Validators {
  /** With its quotes. */
  readonly etag: string;
  /** Null if unknown. */
  readonly modified?: Date | null;
}

/**
 * True if the client has this representation. An ETag takes precedence over a date. The request's `Cache-Control` is not looked at:
 * `fetch` adds `no-cache` to every request with If-None-Match, and would never get a 304.
 */
export const isUnchanged = (headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean =>
  fresh(
    { 'if-none-match': headers['if-none-match'], 'if-modified-since': headers['if-modified-since'] },
    { etag, 'last-modified': modified?.toUTCString() },
  );
