/** Parses Range and If-Range (RFC 9110, 14). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import { seconds, type Validators } from '../shared/conditions.ts';

/** Properties of a file known before reading it. */
export interface Representation extends Validators {
  readonly modified: Date;
  readonly size: number;
}

/** First and last byte, both inclusive. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * The requested part; null for the whole file, also for several parts, an unsupported header, or an If-Range that does not match.
 * `unsatisfiable` when the file has no such part.
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
