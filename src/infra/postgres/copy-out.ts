/**
 * What COPY … TO STDOUT writes, as a stream. PostgreSQL sends a message for every row, so reading messages one by one costs more than
 * all else that a server does with a whole table: here the rows of a packet are moved together where they lie, and go on as one piece.
 */
import { Readable } from 'node:stream';
import type { Connection } from 'pg';

type Listener = (chunk: Buffer) => void;

/** Bytes before what a message says: what kind it is, and how long. */
const HEADER = 5;
const ROWS = 'd'.charCodeAt(0);
/** Messages that may come before and between rows, and say nothing about them. */
const ASIDE: ReadonlySet<number> = new Set([...'HSNA'].map((code) => code.charCodeAt(0)));

/** Hand it to `query` of a client, and read it to its end or destroy it; then release the client, with an error where it was destroyed. */
export class CopyOut extends Readable {
  readonly #text: string;
  #connection: Connection | undefined;
  /** pg's own reader, which waits meanwhile. */
  #theirs: Listener | undefined;
  /** The beginning of a message that came in parts. */
  #begun: Buffer = Buffer.alloc(0);
  /** Bytes of the message under way that are still to come, and whether they are a row. */
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
    [this.#theirs] = stream.listeners('data') as Listener[];
    stream.off('data', this.#theirs!).on('data', this.#take);
    connection.query(this.#text);
  }

  override _read(): void {
    if (this.#theirs) this.#connection!.stream.resume();
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

  /** The end of it, or what went wrong: that is for pg to read, and all that comes after. */
  #giveBack(chunk: Buffer, rows: number, at: number): void {
    const { stream } = this.#connection!;
    const theirs = this.#theirs!;
    const after = Buffer.from(chunk.subarray(at)); // what was read is the reader's, and pg may keep this
    this.#theirs = undefined;
    stream.off('data', this.#take).on('data', theirs);
    if (rows > 0) this.push(chunk.subarray(0, rows));
    theirs(after);
    stream.resume();
  }

  handleError(failure: Error): void {
    this.destroy(failure);
  }

  handleCommandComplete(): void {}

  /** Not before: what is wrong may be said last. */
  handleReadyForQuery(): void {
    this.push(null);
  }
}
