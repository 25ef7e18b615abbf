/** Parquet is made in threads of its own: it takes a processor some ten times as long as text, and nobody else shall wait for it. */

import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { CatalogError } from '../kernel/errors.ts';
import {
  type ParquetColumn,
  type ProgramData,
  type ProgramInput,
  type ProgramOutput,
  program,
} from './parquet.program.ts';

/** Files that are written at once. */
const THREADS = 4;
/** Bytes of rows, and rows, in a row group: what a thread holds at once. */
const GROUP = { bytes: 1024 * 1024, rows: 50_000 };
/** MiB of a thread's memory: far more than a group needs. One that outgrows it ends, and its file is cut. */
const MEMORY = 256;
/** Bytes that are given to the reader at a time. */
const PIECE = 64 * 1024;
const LIBRARY = pathToFileURL(createRequire(import.meta.url).resolve('hyparquet-writer')).href;
/** Text, not a file: it is the same from the sources, from the build and under the tests. */
const PROGRAM = `const { parentPort, workerData } = require('node:worker_threads');
(${program})(parentPort, workerData, import('${LIBRARY}'));`;

let running = 0;

/** @throws CatalogError UNAVAILABLE while too many are under way */
export function reserveThread(): () => void {
  if (running >= THREADS)
    throw new CatalogError(
      'UNAVAILABLE',
      'Too many tables are being written as Parquet at the moment. Try again later.',
    );
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

/** The file that rows of a binary COPY make. `free` is called when its thread has ended; whoever does not read it to the end destroys it. */
export function parquetOf(rows: Readable, columns: readonly ParquetColumn[], free: () => void): Readable {
  const workerData: ProgramData = { columns, group: GROUP };
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: 4 },
  });
  /** Who waits for an answer. One promise that all of them raced with would keep every answer until the thread's end. */
  let waiting: { resolve(bytes: Uint8Array): void; reject(failure: Error): void } | null = null;
  let failure: Error | null = null;
  const fail = (thrown: Error) => {
    failure ??= thrown;
    waiting?.reject(failure);
  };
  worker.on('message', (output: ProgramOutput) =>
    'fault' in output ? waiting?.reject(new Error(output.fault)) : waiting?.resolve(output.bytes),
  );
  worker.once('error', fail);
  worker.once('exit', () => {
    fail(new Error('a thread that writes Parquet ended'));
    free();
  });

  const written = (chunk: ProgramInput): Promise<Uint8Array> =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject };
      if (failure) reject(failure);
      else worker.postMessage(chunk);
    });

  async function* file(): AsyncGenerator<Uint8Array> {
    for await (const chunk of rows) {
      yield* piecesOf(await written(chunk as Uint8Array));
    }
    yield* piecesOf(await written(null));
  }
  const made = Readable.from(file(), { objectMode: false });
  made.once('close', () => {
    rows.destroy();
    void worker.terminate();
  });
  return made;
}
