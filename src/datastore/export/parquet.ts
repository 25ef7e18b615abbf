/** Runs Parquet exports in child processes: encoding takes about ten times the CPU of text and must not block the event loop. */
import { Readable } from 'node:stream';
import { startProgram } from '../../infra/worker/program.ts';
import { CatalogError } from '../../kernel/errors.ts';
import type { FromProgram, ParquetColumn, ToProgram } from './parquet.program.ts';

/** Maximum number of concurrent exports. */
const MAX_FILES = 4;
/** Maximum bytes and rows of a row group, which the child process holds in memory. */
const GROUP = { bytes: 1024 * 1024, rows: 50_000 };
/** Memory limit of a child process in bytes, far above the need of a row group. A process that exceeds it ends and truncates its file. */
const MEMORY = 384 * 2 ** 20;
/** Maximum bytes per chunk given to the reader. */
const PIECE = 64 * 1024;

let running = 0;

/**
 * Reserves a slot among the concurrent exports. Returns a function that releases it.
 * @throws CatalogError UNAVAILABLE when all slots are in use
 */
export function reserveWriter(): () => void {
  if (running >= MAX_FILES)
    throw new CatalogError(
      'UNAVAILABLE',
      `At most ${MAX_FILES} Parquet downloads run at the same time. Try again later.`,
    );
  running += 1;
  let isFree = false;
  return () => {
    if (!isFree) running -= 1;
    isFree = true;
  };
}

/** Small pieces make the reader's speed measurable. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/**
 * Parquet file made from the rows of a binary COPY. Calls `free` when the child process has ended. A reader that stops early destroys the
 * file.
 */
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
