/** Finds the part of a file that a request wants (RFC 9110, 14). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Validators } from '../shared/conditions.ts';

/** What can be said of a file before it is read. */
export interface Representation extends Validators {
  readonly modified: Date;
  readonly size: number;
}

/** First and last byte, both included. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * The part that is asked for; null for all of it, also where more than one part is asked for, the header is none of ours, or
 * If-Range names another file. `unsatisfiable` where the file has no such part.
 */
export function partOf(headers: IncomingHttpHeaders, file: Representation): Part | null | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(headers.range ?? '') ?? [];
  if ((from === '' && to === '') || !isSame(headers['if-range'], file)) return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(file.size - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? file.size - 1 : Math.min(Number(to), file.size - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}

function isSame(condition: string | string[] | undefined, { etag, modified }: Representation): boolean {
  if (condition === undefined) return true;
  const text = String(condition).trim();
  return text === etag || seconds(modified) === seconds(Date.parse(text));
}

/** HTTP dates have no fractions. */
const seconds = (at: Date | number): number => Math.floor(Number(at) / 1000);
