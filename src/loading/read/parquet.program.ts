/** What the thread that reads Parquet runs: bytes it asks for → rows. Sent there as text: it uses nothing of this module. */
import type { MessagePort } from 'node:worker_threads';
import type { FileMetaData, SchemaElement } from 'hyparquet';

/** What the thread says. Values of rows are texts, numbers and truth values; lists and objects are JSON texts. */
export type Said =
  | { readonly ask: number; readonly start: number; readonly end: number }
  | { readonly names: readonly string[] }
  | { readonly rows: readonly (readonly unknown[])[] }
  | { readonly over: true }
  | { readonly fault: string };
/** What it is told: bytes it has asked for; or to go on. */
export type Told = { readonly ask: number; readonly bytes: Uint8Array } | 'on';

type Libraries = readonly [typeof import('hyparquet'), typeof import('hyparquet-compressors')];

/** Says the names of columns, then rows, so many at a time, and waits after each of these to be told to go on. */
export function program(
  port: MessagePort,
  { size, batch }: { readonly size: number; readonly batch: number },
  loaded: Promise<Libraries>,
): void {
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
  const asked = new Map<number, (bytes: Uint8Array) => void>();
  let goOn = () => {};
  let asks = 0;
  const say = (said: Said) => port.postMessage(said);
  const sayAndWait = (said: Said) =>
    new Promise<void>((resolve) => {
      goOn = resolve;
      say(said);
    });
  const file = {
    byteLength: size,
    slice: (start: number, end = size) =>
      new Promise<ArrayBuffer>((resolve) => {
        const ask = asks++;
        asked.set(ask, (bytes) => resolve(bytes.buffer as ArrayBuffer));
        say({ ask, start, end });
      }),
  };
  port.on('message', (told: Told) => {
    if (told === 'on') return goOn();
    asked.get(told.ask)?.(told.bytes);
    asked.delete(told.ask);
  });

  /** The columns, which are the children of the root. */
  function columnsOf({ schema }: FileMetaData): SchemaElement[] {
    const columns: SchemaElement[] = [];
    for (let at = 1; at < schema.length; at = after(schema, at)) columns.push(schema[at]!);
    return columns;
  }
  /** The place after an element and all that is below it. */
  function after(schema: readonly SchemaElement[], at: number): number {
    let next = at + 1;
    for (let n = schema[at]!.num_children ?? 0; n > 0; n -= 1) next = after(schema, next);
    return next;
  }
  /** What JSON has no word for. */
  const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

  function written(value: unknown, { logical_type: logical }: SchemaElement): unknown {
    if (value instanceof Moment) {
      const zoned = logical?.type === 'TIMESTAMP' && logical.isAdjustedToUTC;
      return zoned ? `${value.toJSON()}Z` : value.toJSON();
    }
    if (value instanceof Date) return value.toISOString().slice(0, 10);
    if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
    return typeof value === 'object' && value !== null ? JSON.stringify(value, plain) : value;
  }

  async function read(): Promise<void> {
    const [{ parquetMetadataAsync, parquetRead }, { compressors }] = await loaded;
    const metadata = await parquetMetadataAsync(file);
    const columns = columnsOf(metadata);
    await sayAndWait({ names: columns.map(({ name }) => String(name)) });
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      const group = await new Promise<unknown[][]>((resolve, reject) => {
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
      });
      for (let from = 0; from < group.length; from += batch)
        await sayAndWait({
          rows: group
            .slice(from, from + batch)
            .map((row) => row.map((value, place) => written(value, columns[place]!))),
        });
      rowStart = rowEnd;
    }
    say({ over: true });
  }

  read().catch((thrown: unknown) => say({ fault: String((thrown as Error)?.message ?? thrown) }));
}
