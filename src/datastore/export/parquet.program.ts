/** The program that writes Parquet (infra/worker/program.ts): rows in PostgreSQL's binary form → row groups. */
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { MAX_FRAME, type Port } from '../../infra/worker/frames.ts';

/** What the bytes of a value are. */
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
  /** What is written at once, at most: bytes as they came, and rows. */
  readonly group: { readonly bytes: number; readonly rows: number };
}

/** What the server says: first ProgramData, then bytes of COPY, in order, each after the answer to those before, then that it was all. */
export type ToProgram = ProgramData | Uint8Array | { readonly end: true };
/** Bytes of the file come as bytes, some or none, and then that it was all of them for what came. */
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
    return Math.abs(days) >= 2_147_483_647 ? null : days + DAYS_TO_2000; // infinity has no day
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
  const read = columns.map(({ reading }) => READERS[reading]);

  let values: unknown[][] = columns.map(() => []);
  let rows = 0;
  let weight = 0;
  /** Bytes that have come and were not read yet, and how many are needed to go on. */
  let pieces: Uint8Array[] = [];
  let size = 0;
  let needed = 19; // the head of a COPY
  let isBegun = false;

  const writer = new ByteWriter();
  const file = fileOf(columns, writer);

  /** Reads whole rows from `from`; answers how many bytes that were. */
  function take(from: Buffer): number {
    let at = 0;
    if (!isBegun) {
      at = 19 + from.readInt32BE(15);
      isBegun = true;
    }
    for (;;) {
      const end = endOf(from, at);
      if (end === null) return at;
      at += 2;
      for (let place = 0; place < read.length; place++) {
        const length = from.readInt32BE(at);
        at += 4;
        values[place]!.push(length < 0 ? null : read[place]!(from, at, length));
        if (length > 0) at += length;
      }
      rows += 1;
    }
  }

  /** Where the row at `start` ends; null where it has not come whole, or is the end of all. */
  function endOf(from: Buffer, start: number): number | null {
    let at = start + 2;
    for (let place = 0; place < read.length; place++) {
      needed = at + 4 - start;
      if (at + 4 > from.length) return null;
      const length = from.readInt32BE(at);
      at += 4 + Math.max(length, 0);
    }
    needed = at - start;
    return at > from.length ? null : at;
  }

  /** What of the file is written by now; null: all rows have come. */
  function written(chunk: Buffer | null): Uint8Array {
    if (chunk !== null) {
      pieces.push(chunk);
      size += chunk.length;
      weight += chunk.length;
      if (size >= needed) {
        const whole = Buffer.concat(pieces);
        const rest = whole.subarray(take(whole));
        pieces = [Buffer.from(rest)];
        size = rest.length;
      }
    }
    if (rows > 0 && (chunk === null || weight >= group.bytes || rows >= group.rows)) {
      const data = columns.map(({ name }, place) => ({ name, data: values[place] as string[] }));
      file.write({ columnData: data, rowGroupSize: rows });
      values = columns.map(() => []);
      rows = 0;
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

async function sendAll(port: Port, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += MAX_FRAME) await port.send(bytes.subarray(at, at + MAX_FRAME));
  await port.send({ done: true } satisfies FromProgram);
}
