/** Range requests: finds the requested part of a file (RFC 9110, 14). Pure. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Validators } from '../shared/conditions.ts';

/** Metadata of a file, known before it is read. */
export interface Representation extends Validators {
  readonly modified: Date;
  readonly size: number;
}

/** Positions of the first and last byte, inclusive. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

/**
 * The requested part. Null for the whole file: without Range, for several parts, for an invalid or unsupported header, and when
 * If-Range does not match the file. `unsatisfiable` when the part is outside the file.
 */
export function partOf(headers: IncomingHttpHeaders, file: Representation): Part | null | 'unsatisfiable' {
  const [from = '', to = ''] = digitsOf(headers.range ?? '');
  if ((from === '' && to === '') || !isSame(headers['if-range'], file)) return null;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return null;
  const start = from === '' ? Math.max(file.size - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? file.size - 1 : Math.min(Number(to), file.size - 1);
  return start > end ? 'unsatisfiable' : { start, end };
}

/** First and last position of one range, as digits or empty; none for other headers. Each piece is read once. */
function digitsOf(range: string): string[] {
  const pieces = /^bytes=/i.test(range) ? range.slice('bytes='.length).split('-', 3) : [];
  const digits = pieces.map((piece) => piece.trim());
  return digits.length === 2 && digits.every((piece) => /^\d*$/.test(piece)) ? digits : [];
}

function isSame(condition: string | string[] | undefined, { etag, modified }: Representation): boolean {
  if (condition === undefined) return true;
  const text = String(condition).trim();
  return text === etag || seconds(modified) === seconds(Date.parse(text));
}

/** HTTP dates do not contain fractions of a second. */
const seconds = (at: Date | number): number => Math.floor(Number(at) / 1000);
