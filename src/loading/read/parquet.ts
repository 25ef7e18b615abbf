/** Reads Parquet files in windows of each row group, so that row groups of any size fit into memory. */
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { CatalogError } from '../../kernel/errors.ts';
import { badFile } from './problem.ts';
import { type Rows, rowsFile } from './rows.ts';
import { columnNames } from './sniff.ts';
import type { Source, TextFile } from './text-file.ts';

/** Values decoded per window. */
const WINDOW_VALUES = 1_000_000;
/** Maximum bytes of a row group that are cached for its next window. */
const CACHED_BYTES = 64 * 2 ** 20;

/** @throws CatalogError VALIDATION */
export async function parquetFile(source: Source): Promise<TextFile> {
  const metadata = await parsed(() => parquetMetadataAsync(bytesOf(source)));
  const columns = columnsOf(metadata);
  if (columns.length === 0) throw badFile('The file has no columns');
  async function* rows(): Rows {
    let groupStart = 0;
    for (const { num_rows, columns: chunks } of metadata.row_groups) {
      const groupEnd = groupStart + Number(num_rows);
      const size = Math.max(1, Math.floor(WINDOW_VALUES / Math.max(chunks.length, columns.length)));
      const file = bytesOf(source);
      for (let rowStart = groupStart; rowStart < groupEnd; rowStart += size) {
        const rowEnd = Math.min(rowStart + size, groupEnd);
        yield valuesOf(await parsed(() => windowOf(file, metadata, rowStart, rowEnd)), columns);
      }
      groupStart = groupEnd;
    }
  }
  return rowsFile(columnNames(columns.map(({ name }) => String(name))), rows);
}

const windowOf = (file: AsyncBuffer, metadata: FileMetaData, rowStart: number, rowEnd: number): Promise<unknown[][]> =>
  new Promise((resolve, reject) => {
    parquetRead({
      file,
      metadata,
      compressors,
      parsers: PARSERS as never,
      rowStart,
      rowEnd,
      rowFormat: 'array',
      onComplete: resolve,
    }).catch(reject);
  });

/** Converts errors that the library throws for a broken file into refusals. */
async function parsed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CatalogError) throw thrown;
    const { message } = thrown as Error;
    if (/allocation failed/i.test(message)) throw thrown; // out of memory: reported by the parent process
    throw badFile(`The file is not read as Parquet: ${message}`);
  }
}

/** Reads parts of a file, one at a time. Caches parts used by several windows, up to KEPT_BYTES. */
function bytesOf(source: Source): AsyncBuffer {
  const cached = new Map<string, Promise<ArrayBuffer>>();
  let size = 0;
  let last: Promise<unknown> = Promise.resolve();
  return {
    byteLength: source.size,
    slice(start, end = source.size) {
      const key = `${start} ${end}`;
      const known = cached.get(key);
      if (known) return known;
      const read = last.catch(() => {}).then(() => partOf(source, start, end));
      last = read;
      size += Math.max(0, Math.min(end, source.size) - start);
      if (size <= CACHED_BYTES) cached.set(key, read);
      return read;
    },
  };
}

/** Returns an empty part for offsets outside the file, which a broken file may name. */
async function partOf(source: Source, start: number, end: number): Promise<ArrayBuffer> {
  const last = Math.min(end, source.size) - 1;
  if (!(start >= 0 && start <= last)) return new ArrayBuffer(0);
  const bytes = new Uint8Array(last + 1 - start);
  let at = 0;
  for await (const chunk of await source.open({ start, end: last })) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes.buffer;
}

/** The columns: children of the root element. */
function columnsOf({ schema }: FileMetaData): SchemaElement[] {
  const columns: SchemaElement[] = [];
  let below = 0; // schema elements that belong to the current column
  for (const element of schema.slice(1)) {
    if (below === 0) columns.push(element);
    else below -= 1;
    below += element.num_children ?? 0;
  }
  return columns;
}

/** A timestamp in microseconds since 1970. */
class Moment {
  readonly micros: bigint;
  constructor(micros: bigint) {
    this.micros = micros;
  }
  /** ISO 8601 without a time zone. */
  toJSON(): string {
    const second = this.micros / 1_000_000n - (this.micros % 1_000_000n < 0n ? 1n : 0n);
    const rest = this.micros - second * 1_000_000n;
    const whole = isoOf(new Date(Number(second) * 1_000)).slice(0, 19);
    return rest === 0n ? whole : `${whole}.${String(rest).padStart(6, '0')}`;
  }
}

/** Parsers that replace JavaScript's Date, which has milliseconds only. */
const PARSERS = {
  timestampFromMilliseconds: (millis: bigint) => new Moment(millis * 1_000n),
  timestampFromMicroseconds: (micros: bigint) => new Moment(micros),
  timestampFromNanoseconds: (nanos: bigint) => new Moment(nanos / 1_000n),
};

function* valuesOf(rows: readonly unknown[][], columns: readonly SchemaElement[]): Generator<unknown[]> {
  for (const row of rows) yield row.map((value, index) => written(value, columns[index]));
}

function written(value: unknown, column: SchemaElement | undefined): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Moment) {
    const logical = column?.logical_type;
    const zoned = logical?.type === 'TIMESTAMP' && logical.isAdjustedToUTC;
    return zoned ? `${value.toJSON()}Z` : value.toJSON();
  }
  if (value instanceof Date) return isoOf(value).slice(0, 10);
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value;
}

function isoOf(date: Date): string {
  if (Number.isNaN(date.getTime())) throw badFile('The file is not read as Parquet: Invalid time value');
  return date.toISOString();
}
