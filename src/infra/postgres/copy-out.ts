/**
 * Streams the output of COPY … TO STDOUT. PostgreSQL sends a message per row, and parsing each message costs more than
 * all other work on a whole table. Here the rows of a packet are compacted in place and passed on as one chunk.
 */
import { Readable } from 'node:stream';
import type { Connection } from 'pg';

type Listener = (chunk: Buffer) => void;

/** Bytes of a message header: its type and length. */
const HEADER = 5;
const ROWS = 'd'.charCodeAt(0);
/** Messages without rows that can arrive before and between rows. */
const ASIDE: ReadonlySet<number> = new Set([...'HSNA'].map((code) => code.charCodeAt(0)));

/** Pass it to `query` of a client, and read it to its end or destroy it; then release the client, with an error if it was destroyed. */
export class CopyOut extends Readable {
  readonly #text: string;
  #connection: Connection | undefined;
  /** pg's own reader, paused in the meantime. */
  #pgReader: Listener | undefined;
  /** The start of a message that is split over packets. */
  #begun: Buffer = Buffer.alloc(0);
  /** Number of rows, after the end. */
  rowCount = Number.NaN;
  /** Remaining bytes of the current message, and whether it is a row. */
  #left = 0;
  #isRow = false;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  /** Called by pg when it is this statement's turn. */
  submit(connection: Connection): void {
    const { stream } = connection;
    this.#connection = connection;
    [this.#pgReader] = stream.listeners('data') as Listener[];
    stream.off('data', this.#pgReader!).on('data', this.#take);
    connection.query(this.#text);
  }

  override _read(): void {
    if (this.#pgReader) this.#connection!.stream.resume();
  }

  readonly #take = (packet: Buffer): void => {
    const chunk = this.#begun.length === 0 ? packet : Buffer.concat([this.#begun, packet]);
    this.#begun = chunk.subarray(0, 0);
    let rows = 0;
    let at = 0;
    for (;;) {
      const end = Math.min(at + this.#left, chunk.length);
      if (this.#isRow) {
        if (rows !== at) chunk.copyWithin(rows, at, end);
        rows += end - at;
      }
      this.#left -= end - at;
      at = end;
      if (at === chunk.length) break;
      if (chunk.length - at < HEADER) {
        this.#begun = Buffer.from(chunk.subarray(at));
        break;
      }
      const code = chunk[at]!;
      this.#isRow = code === ROWS;
      if (!this.#isRow && !ASIDE.has(code)) return void this.#giveBack(chunk, rows, at);
      this.#left = chunk.readUInt32BE(at + 1) - (HEADER - 1);
      at += HEADER;
    }
    if (rows > 0 && !this.push(chunk.subarray(0, rows))) this.#connection!.stream.pause();
  };

  /** Returns the rest of the stream to pg: the end of the rows, or an error, and all that follows. */
  #giveBack(chunk: Buffer, rows: number, at: number): void {
    const { stream } = this.#connection!;
    const pgReader = this.#pgReader!;
    const after = Buffer.from(chunk.subarray(at)); // the reader owns the chunk, and pg may retain this part
    this.#pgReader = undefined;
    stream.off('data', this.#take).on('data', pgReader);
    if (rows > 0) this.push(chunk.subarray(0, rows));
    pgReader(after);
    stream.resume();
  }

  handleError(failure: Error): void {
    this.destroy(failure);
  }

  handleCommandComplete({ text = '' }: { text?: string }): void {
    this.rowCount = Number(/^COPY (\d+)/.exec(text)?.[1]);
  }

  /** Only now: an error may be the last message. */
  handleReadyForQuery(): void {
    this.push(null);
  }
}
