/** What the thread that writes Parquet runs: rows in PostgreSQL's binary form → row groups. Sent there as text: it uses nothing of this module. */
import type { MessagePort } from 'node:worker_threads';
import type { SchemaElement } from 'hyparquet';

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

/** Bytes of COPY, in order; none: that was all of them. */
export type ProgramInput = Uint8Array | null;
export type ProgramOutput = { readonly bytes: Uint8Array } | { readonly fault: string };

export function program(
  port: MessagePort,
  { columns, group }: ProgramData,
  library: Promise<typeof import('hyparquet-writer')>,
): void {
  const DAYS_TO_2000 = 10_957;
  const MICROS_TO_2000 = 946_684_800_000_000n;
  const readers: Record<Reading, (from: Buffer, at: number, length: number) => unknown> = {
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
  const read = columns.map(({ reading }) => readers[reading]);

  let values: unknown[][] = columns.map(() => []);
  let rows = 0;
  let weight = 0;
  /** Bytes that have come and were not read yet, and how many are needed to go on. */
  let pieces: Uint8Array[] = [];
  let size = 0;
  let needed = 19; // the head of a COPY
  let isBegun = false;

  const opened = library.then(({ ByteWriter, ParquetWriter }) => {
    const writer = new ByteWriter();
    const schema = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, element }) => ({ name, repetition_type: 'OPTIONAL' as const, ...element })),
    ];
    return { writer, file: new ParquetWriter({ writer, schema, createdBy: 'catalog-gateway' }) };
  });

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

  async function answer(chunk: ProgramInput): Promise<ProgramOutput> {
    const { writer, file } = await opened;
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
    return { bytes };
  }

  port.on('message', (chunk: ProgramInput) => {
    answer(chunk)
      .catch((thrown: unknown) => ({ fault: String(thrown) }))
      .then((output: ProgramOutput) =>
        port.postMessage(output, 'bytes' in output ? [output.bytes.buffer as ArrayBuffer] : []),
      );
  });
}
