/** Program that writes Parquet (infra/worker/program.ts): converts rows of a binary COPY to row groups. */
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { MAX_FRAME, type Port } from '../../infra/worker/frames.ts';

/** Formats of the bytes of a value. */
export type Reading =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float4'
  | 'float8'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'long decimal'
  | 'text';

export interface ParquetColumn {
  readonly name: string;
  readonly reading: Reading;
  readonly element: Omit<SchemaElement, 'name' | 'repetition_type'>;
}

export interface ProgramData {
  readonly columns: readonly ParquetColumn[];
  /** Maximum size of a row group: bytes of COPY, and rows. */
  readonly group: { readonly bytes: number; readonly rows: number };
}

/** Messages from the server: ProgramData, then chunks of COPY, in order, each after the response to the previous one, then `end`. */
export type ToProgram = ProgramData | Uint8Array | { readonly end: true };
/** Ends the response to a chunk. Before it, the program sends zero or more chunks of the file as bytes. */
export type FromProgram = { readonly done: true };

const DAYS_TO_2000 = 10_957;
const MICROS_TO_2000 = 946_684_800_000_000n;

/** Reads the value of `length` bytes at `at`. */
const READERS: Readonly<Record<Reading, (from: Buffer, at: number, length: number) => unknown>> = {
  int2: (from, at) => from.readInt16BE(at),
  int4: (from, at) => from.readInt32BE(at),
  int8: (from, at) => from.readBigInt64BE(at),
  float4: (from, at) => from.readFloatBE(at),
  float8: (from, at) => from.readDoubleBE(at),
  bool: (from, at) => from[at] === 1,
  date(from, at) {
    const days = from.readInt32BE(at);
    return Math.abs(days) >= 2_147_483_647 ? null : days + DAYS_TO_2000; // infinity is not a day
  },
  timestamp(from, at) {
    const micros = from.readBigInt64BE(at);
    return micros === 0x7fffffffffffffffn || micros === -0x8000000000000000n ? null : micros + MICROS_TO_2000;
  },
  'long decimal': (from, at, length) => BigInt(from.toString('latin1', at, at + length)),
  text: (from, at, length) => from.toString('utf8', at, at + length),
};

function fileOf(columns: readonly ParquetColumn[], writer: ByteWriter): ParquetWriter {
  return new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, element }) => ({ name, repetition_type: 'OPTIONAL' as const, ...element })),
    ],
    createdBy: 'catalog-gateway',
  });
}

export async function run(port: Port): Promise<void> {
  const { columns, group } = (await port.next()) as ProgramData;
  const rows = rowReader(columns);
  const writer = new ByteWriter();
  const file = fileOf(columns, writer);
  /** Bytes of COPY since the last row group. */
  let weight = 0;

  /** Adds a chunk, and returns the new bytes of the file. Null ends the file. */
  function written(chunk: Buffer | null): Uint8Array {
    if (chunk !== null) {
      rows.push(chunk);
      weight += chunk.length;
    }
    const count = rows.count();
    if (count > 0 && (chunk === null || weight >= group.bytes || count >= group.rows)) {
      const values = rows.take();
      const data = columns.map(({ name }, index) => ({ name, data: values[index] as string[] }));
      file.write({ columnData: data, rowGroupSize: count });
      weight = 0;
    }
    if (chunk === null) file.finish();
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  }

  for (let message = await port.next(); message !== null; message = await port.next()) {
    await sendAll(port, written(Buffer.isBuffer(message) ? message : null));
  }
}

/** Reads rows from chunks of a binary COPY. Collects their values by column. */
function rowReader(columns: readonly ParquetColumn[]) {
  const read = columns.map(({ reading }) => READERS[reading]);
  let values: unknown[][] = columns.map(() => []);
  let rows = 0;
  /** Unread bytes, their number, and the number needed to read the next row. */
  let pieces: Uint8Array[] = [];
  let size = 0;
  let needed = 19; // the header of a binary COPY
  let isBegun = false;

  /** Reads all complete rows in `from`. Returns the number of bytes read. */
  function readRows(from: Buffer): number {
    let at = 0;
    if (!isBegun) {
      at = 19 + from.readInt32BE(15);
      isBegun = true;
    }
    for (;;) {
      const end = endOf(from, at);
      if (end === null) return at;
      at += 2;
      for (let index = 0; index < read.length; index++) {
        const length = from.readInt32BE(at);
        at += 4;
        values[index]!.push(length < 0 ? null : read[index]!(from, at, length));
        if (length > 0) at += length;
      }
      rows += 1;
    }
  }

  /** The end of the row at `start`. Null when it is incomplete, and at the end marker. Sets `needed`, the bytes needed to continue. */
  function endOf(from: Buffer, start: number): number | null {
    let at = start + 2;
    for (let index = 0; index < read.length; index++) {
      needed = at + 4 - start;
      if (at + 4 > from.length) return null;
      const length = from.readInt32BE(at);
      at += 4 + Math.max(length, 0);
    }
    needed = at - start;
    return at > from.length ? null : at;
  }

  return {
    count: () => rows,
    push(chunk: Buffer): void {
      pieces.push(chunk);
      size += chunk.length;
      if (size < needed) return;
      const whole = Buffer.concat(pieces);
      const rest = whole.subarray(readRows(whole));
      pieces = [Buffer.from(rest)];
      size = rest.length;
    },
    /** The values of the rows since the last call. */
    take(): unknown[][] {
      const taken = values;
      values = columns.map(() => []);
      rows = 0;
      return taken;
    },
  };
}

async function sendAll(port: Port, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME) await port.send(bytes.subarray(at, at + MAX_FRAME));
  await port.send({ done: true } satisfies FromProgram);
}
