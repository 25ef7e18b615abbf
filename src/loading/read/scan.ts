/**
 * Scans CSV bytes (UTF-8) record by record without decoding them: detects column kinds, counts rows, and returns input for PostgreSQL's
 * COPY. Rewrites records that COPY reads differently than spreadsheets do (short records, quotes inside values, other line ends, empty
 * lines), and passes all others through. Pure, one chunk at a time.
 */
import { joinKinds, Kind, kindOf } from './kinds.ts';
import { badFile, rowTooLong } from './problem.ts';

export interface Layout {
  /** ASCII code of the delimiter. */
  readonly delimiter: number;
  /** Fields per record. */
  readonly width: number;
  /** Records before the table: the header and rows above it. Empty lines do not count. */
  readonly skip: number;
  /** Whether lists and objects are parsed as JSON. */
  readonly nested: boolean;
}

const NOTHING = Buffer.alloc(0);
const QUOTE = 34;
const LF = 10;
const CR = 13;

/** Maximum bytes of a record, without its line end. */
export const MAX_RECORD_BYTES = 16 * 2 ** 20;

/** Approximate maximum of rewritten bytes per `push`. A short record can grow a thousandfold. */
const MAX_WRITTEN = 2 ** 20;

export class Scanner {
  readonly layout: Layout;
  /** Kind per column over all scanned values: as expected, or wider where a value does not fit. */
  readonly kinds: Kind[];
  /** Whether a value did not fit the expected kind. */
  misfit = false;
  /** Number of table records. */
  rows = 0;
  /** Whether `push` stopped early. Continue with an empty chunk. */
  hasMore = false;
  /** The record read last: where it ends, where the next one begins, and whether its quotes are as COPY expects them. */
  readonly #record = { end: 0, next: 0, columns: 0, isRegular: true };
  #rest: Buffer = NOTHING;
  /** Chunks that came after the rest and are not looked at yet. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #skipped = 0;
  #lineEnd = '';

  constructor(layout: Layout, expected: readonly Kind[]) {
    this.layout = layout;
    this.kinds = [...expected];
  }

  /**
   * Input for COPY from this chunk and the unread rest of earlier ones, in parts. The last part ends the last record.
   * @throws CatalogError VALIDATION
   */
  *pushAll(chunk: Buffer, isLast: boolean): Generator<Buffer[]> {
    yield this.push(chunk, isLast);
    while (this.hasMore) yield this.push(NOTHING, isLast);
  }

  /** First part of that input. `hasMore` says whether more follows. @throws CatalogError VALIDATION */
  push(chunk: Buffer, isLast: boolean): Buffer[] {
    if (chunk.length > 0) {
      this.#waiting.push(chunk);
      this.#waitingBytes += chunk.length;
    }
    if (!isLast && !this.hasMore && this.#waitsForMore()) return [];
    const bytes = this.#taken();
    const out: Buffer[] = [];
    const record = this.#record;
    let written = 0;
    let from = 0; // start of the unchanged bytes
    let at = 0;
    this.hasMore = false;
    while (at < bytes.length && !this.hasMore && this.#readRecord(bytes, at, isLast)) {
      const start = at;
      const { end } = record;
      at = record.next;
      if (end - start > MAX_RECORD_BYTES) throw rowTooLong(this.rows + 1, MAX_RECORD_BYTES);
      const isEmpty = end === start;
      if (this.#skipped < this.layout.skip) {
        if (!isEmpty) this.#skipped += 1;
        from = at;
        continue;
      }
      if (!isEmpty) this.rows += 1;
      if (this.#isAsCopyReads(bytes, start)) continue;
      if (start > from) out.push(bytes.subarray(from, start));
      if (!isEmpty) {
        const rewritten = this.#written(bytes.subarray(start, end));
        out.push(rewritten);
        written += rewritten.length;
      }
      from = at;
      this.hasMore = written > MAX_WRITTEN;
    }
    if (at > from) out.push(bytes.subarray(from, at));
    this.#rest = bytes.subarray(at);
    if (!this.hasMore && this.#rest.length > MAX_RECORD_BYTES + 1) throw rowTooLong(this.rows + 1, MAX_RECORD_BYTES);
    return out;
  }

  /** Reads the record at `start` into `#record`, and the kinds of its values. False while its end is missing. */
  #readRecord(bytes: Buffer, start: number, isLast: boolean): boolean {
    const { delimiter, width } = this.layout;
    const { length } = bytes;
    const record = this.#record;
    record.isRegular = true;
    let at = start;
    let column = 0;
    let code: number | undefined;
    for (;;) {
      let value = at;
      let end = -1;
      let odd = false;
      if (bytes[at] === QUOTE) {
        value = ++at;
        while (at < length && (bytes[at] !== QUOTE || bytes[at + 1] === QUOTE))
          if (bytes[at] === QUOTE) {
            odd = true;
            at += 2;
          } else at += 1;
        if (at + 1 >= length && !isLast) return false;
        if (at >= length) throw badFile(`Row ${this.rows + 1}: a quoted value is not closed`);
        end = at++;
        code = bytes[at];
        if (at < length && code !== delimiter && code !== LF && code !== CR) record.isRegular = !(odd = true);
      }
      for (; at < length; at += 1) {
        code = bytes[at];
        if (code === delimiter || code === LF || code === CR) break;
        if (code === QUOTE) record.isRegular = false;
      }
      if (end < 0) end = at;
      if (at >= length && !isLast) return false;
      if (column >= width) {
        if (end > value && this.#skipped >= this.layout.skip) throw this.#tooMany(column + 1);
      } else if (end > value) this.#see(column, bytes, value, end, odd);
      column += 1;
      if (at >= length || code !== delimiter) break;
      at += 1;
    }
    if (at < length && code === CR && at + 1 >= length && !isLast) return false;
    record.end = at;
    record.next = at < length ? at + (code === CR && bytes[at + 1] === LF ? 2 : 1) : at;
    record.columns = column;
    return true;
  }

  /** Whether COPY reads `#record`, which starts at `start`, as spreadsheets do. */
  #isAsCopyReads(bytes: Buffer, start: number): boolean {
    const { end, next, columns, isRegular } = this.#record;
    return (
      end > start &&
      isRegular &&
      columns === this.layout.width &&
      this.#endsAlike(bytes, end, next) &&
      !isEndMark(bytes, start, end)
    );
  }

  /**
   * Whether a record without an end yet is left until it is twice as long: reading it from its start with every chunk would cost the
   * square of its length.
   */
  #waitsForMore(): boolean {
    const rest = this.#rest.length;
    return this.#waitingBytes < rest && rest + this.#waitingBytes <= MAX_RECORD_BYTES + 1;
  }

  #taken(): Buffer {
    const parts = this.#rest.length > 0 ? [this.#rest, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  #see(column: number, bytes: Buffer, start: number, end: number, odd: boolean): void {
    const known = this.kinds[column]!;
    if (known >= Kind.text || this.#skipped < this.layout.skip) return;
    const isNested = this.layout.nested && (bytes[start] === 123 || bytes[start] === 91);
    const kind = isNested ? Kind.json : odd ? Kind.text : kindOf(bytes, start, end);
    if (kind === known) return;
    const joined = joinKinds(known, kind);
    if (joined === known) return;
    this.kinds[column] = joined;
    this.misfit = true;
  }

  /** Whether a record ends like the first one, or with the file. */
  #endsAlike(bytes: Buffer, end: number, next: number): boolean {
    if (next === end) return true;
    const lineEnd = next - end === 2 ? '\r\n' : bytes[end] === CR ? '\r' : '\n';
    this.#lineEnd ||= lineEnd;
    return this.#lineEnd === lineEnd;
  }

  #written(record: Buffer): Buffer {
    const { delimiter, width } = this.layout;
    const fields = fieldsOf(record.toString('latin1'), String.fromCharCode(delimiter), width);
    const between = String.fromCharCode(delimiter);
    const cells = fields.map((field) => (field === '' ? '' : `"${field.replaceAll('"', '""')}"`));
    this.#lineEnd ||= '\n';
    return Buffer.from(cells.join(between) + between.repeat(width - fields.length) + this.#lineEnd, 'latin1');
  }

  #tooMany(count: number): Error {
    return badFile(`Row ${this.rows + 1} has ${count} or more values, but the table has ${this.layout.width} columns`);
  }
}

/** Whether the record is the end-of-data marker of older PostgreSQL versions. */
const isEndMark = (bytes: Buffer, start: number, end: number): boolean =>
  end - start === 2 && bytes[start] === 92 && bytes[start + 1] === 46;

/** The first `max` values of one record without its line end, parsed as spreadsheets do: quotes are special only at the start of a value. */
export function fieldsOf(record: string, delimiter: string, max = Number.POSITIVE_INFINITY): string[] {
  const fields: string[] = [];
  let at = 0;
  for (;;) {
    let field = '';
    if (record[at] === '"') {
      at += 1;
      for (;;) {
        const quote = record.indexOf('"', at);
        const end = quote < 0 ? record.length : quote;
        field += record.slice(at, end);
        at = end + 1;
        if (record[at] !== '"' || quote < 0) break;
        field += '"';
        at += 1;
      }
    }
    const next = record.indexOf(delimiter, at);
    const end = next < 0 ? record.length : next;
    field += record.slice(at, end);
    fields.push(field);
    if (next < 0 || fields.length >= max) return fields;
    at = next + 1;
  }
}
