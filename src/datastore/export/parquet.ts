/** Parquet is written by programs outside: it takes a processor some ten times as long as text, and nobody else shall wait for it. */
import { Readable } from 'node:stream';
import { startProgram } from '../../infra/worker/program.ts';
import { CatalogError } from '../../kernel/errors.ts';
import type { FromProgram, ParquetColumn, ToProgram } from './parquet.program.ts';

/** Files that are written at once. */
const MAX_FILES = 4;
/** Bytes of rows, and rows, in a row group: what a program holds at once. */
const GROUP = { bytes: 1024 * 1024, rows: 50_000 };
/** Bytes of memory of a program: far more than a group needs. One that outgrows it ends, and its file is cut. */
const MEMORY = 384 * 2 ** 20;
/** Bytes that are given to the reader at a time. */
const PIECE = 64 * 1024;

let running = 0;

/** A place among those that write. Answers what gives it back. @throws CatalogError UNAVAILABLE while too many are under way */
export function reserveWriter(): () => void {
  if (running >= MAX_FILES)
    throw new CatalogError('UNAVAILABLE', 'Too many concurrent Parquet downloads. Try again later.');
  running += 1;
  let isFree = false;
  return () => {
    if (!isFree) running -= 1;
    isFree = true;
  };
}

/** So that it shows how fast a reader takes them. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** The file that rows of a binary COPY make. `free` is called when its program has ended; a reader that stops early destroys it. */
export function parquetOf(rows: Readable, columns: readonly ParquetColumn[], free: () => void): Readable {
  const program = startProgram({ module: 'src/datastore/export/parquet.program', memory: MEMORY });
  const say = (message: ToProgram) => program.send(message);

  async function* answer(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const message = (await program.next()) as Buffer | FromProgram;
      if (!Buffer.isBuffer(message)) return;
      yield* piecesOf(message);
    }
  }
  async function* file(): AsyncGenerator<Uint8Array> {
    await say({ columns, group: GROUP });
    for await (const chunk of rows) {
      await say(chunk as Uint8Array);
      yield* answer();
    }
    await say({ end: true });
    yield* answer();
  }
  const made = Readable.from(file(), { objectMode: false });
  made.once('close', () => {
    rows.destroy();
    program.end();
    free();
  });
  return made;
}
