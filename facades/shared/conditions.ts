/** Whether a client has what it asks for already (RFC 9110, 13). Pure. */
import type { IncomingHttpHeaders } from 'node:http';

/** An answer that can be asked about again. */
export interface Kept {
  /** With its quotes; strong. */
  readonly etag: string;
  /** Null where that is not known. */
  readonly modified: Date | null;
}

/** True when the client has this already. An ETag counts more than a date. */
export function isUnchanged(headers: IncomingHttpHeaders, { etag, modified }: Kept): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined)
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return modified !== null && !Number.isNaN(since) && seconds(modified) <= seconds(since);
}

/** HTTP's dates know no fractions. */
export const seconds = (at: Date | number): number => Math.floor(Number(at) / 1000);
