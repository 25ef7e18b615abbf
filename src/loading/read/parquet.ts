/** Parquet files, row group by row group. */
import { type FileMetaData, parquetMetadataAsync, parquetRead, type SchemaElement } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { CatalogError } from '../../kernel/errors.ts';
import { badFile } from './problem.ts';
import { type Rows, rowsFile } from './rows.ts';
import { columnNames } from './sniff.ts';
import type { Source, TextFile } from './text-file.ts';

/** @throws CatalogError VALIDATION */
export async function parquetFile(source: Source): Promise<TextFile> {
  const file = {
    byteLength: source.size,
    async slice(start: number, end = source.size): Promise<ArrayBuffer> {
      const chunks: Buffer[] = [];
      for await (const chunk of await source.open({ start, end: end - 1 })) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      return whole.buffer.slice(whole.byteOffset, whole.byteOffset + whole.byteLength) as ArrayBuffer;
    },
  };
  const metadata = await asked(parquetMetadataAsync(file));
  const columns = columnsOf(metadata);
  async function* rows(): Rows {
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const group = await asked(
        new Promise<unknown[][]>((resolve, reject) => {
          parquetRead({
            file,
            metadata,
            compressors,
            parsers: parsers as never,
            rowStart,
            rowEnd,
            rowFormat: 'array',
            onComplete: resolve,
          }).catch(reject);
        }),
      );
      for (let from = 0; from < group.length; from += BATCH)
        yield group.slice(from, from + BATCH).map((row) => row.map((value, place) => written(value, columns[place]!)));
      rowStart = rowEnd;
    }
  }
  return rowsFile(columnNames(columns.map(({ name }) => name)), rows);
}

/** Rows handed on at a time. */
const BATCH = 1_000;

/** A moment, exact to the microsecond: microseconds since 1970. */
class Moment {
  readonly micros: bigint;
  constructor(micros: bigint) {
    this.micros = micros;
  }
  /** ISO 8601 without a zone. */
  toJSON(): string {
    const second = this.micros / 1_000_000n - (this.micros % 1_000_000n < 0n ? 1n : 0n);
    const rest = this.micros - second * 1_000_000n;
    const whole = new Date(Number(second) * 1_000).toISOString().slice(0, 19);
    return rest === 0n ? whole : `${whole}.${String(rest).padStart(6, '0')}`;
  }
}

/** In place of dates of JavaScript, which know milliseconds only. */
const parsers = {
  timestampFromMilliseconds: (millis: bigint) => new Moment(millis * 1_000n),
  timestampFromMicroseconds: (micros: bigint) => new Moment(micros),
  timestampFromNanoseconds: (nanos: bigint) => new Moment(nanos / 1_000n),
};

/** The columns, which are the children of the root. */
function columnsOf({ schema }: FileMetaData): SchemaElement[] {
  const columns: SchemaElement[] = [];
  for (let at = 1; at < schema.length; at = after(schema, at)) columns.push(schema[at]!);
  if (columns.length === 0) throw badFile('The file has no columns');
  return columns;
}

/** The place after an element and all that is below it. */
function after(schema: readonly SchemaElement[], at: number): number {
  let next = at + 1;
  for (let n = schema[at]!.num_children ?? 0; n > 0; n -= 1) next = after(schema, next);
  return next;
}

function written(value: unknown, { logical_type: logical }: SchemaElement): unknown {
  if (value instanceof Moment) {
    const zoned = logical?.type === 'TIMESTAMP' && logical.isAdjustedToUTC;
    return zoned ? `${value.toJSON()}Z` : value.toJSON();
  }
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value;
}

/** What is wrong with the file is told to those who may load it. */
async function asked<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (thrown) {
    if (thrown instanceof CatalogError || (thrown as { code?: unknown }).code !== undefined) throw thrown;
    throw badFile(`The file is not read as Parquet: ${(thrown as Error).message}`);
  }
}
