/** Evaluates conditional requests (RFC 9110, 13). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import fresh from 'fresh';

/** Validators of a response. */
export interface Validators {
  /** Strong, including quotes. */
  readonly etag: string;
  /** Null when unknown. */
  readonly modified: Date | null;
}

/** True when the client's copy is current. An ETag takes precedence over a date. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined)
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return modified !== null && !Number.isNaN(since) && seconds(modified) <= seconds(since);
}

/** HTTP dates have no fractions of a second. */
export const seconds = (at: Date | number): number => Math.floor(Number(at) / 1000);
