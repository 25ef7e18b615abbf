/**
 * Parquet files, row group by row group, read in a thread of its own: nobody else waits for it, and of a broken file, which may never
 * come to an end or take all memory, the thread is ended and nothing else.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { program, type Said, type Told } from './parquet.program.ts';
import { badFile } from './problem.ts';
import { type Rows, rowsFile } from './rows.ts';
import { columnNames } from './sniff.ts';
import type { Source, TextFile } from './text-file.ts';

/** Rows handed on at a time. */
const BATCH = 1_000;
/** MiB of a thread's memory: a row group must fit. */
const MEMORY = 2_048;
/** ms that a thread may think without a word, such as over one row group. */
const PATIENCE = 5 * 60_000;

const { resolve } = createRequire(import.meta.url);
const LIBRARIES = ['hyparquet', 'hyparquet-compressors'].map(
  (name) => `import('${pathToFileURL(resolve(name)).href}')`,
);
/** Text, not a file: it is the same from the sources, from the build and under the tests. */
const PROGRAM = `const { parentPort, workerData } = require('node:worker_threads');
(${program})(parentPort, workerData, Promise.all([${LIBRARIES}]));`;

/** `patience` is in ms. @throws CatalogError VALIDATION */
export async function parquetFile(source: Source, patience = PATIENCE): Promise<TextFile> {
  let names: readonly string[] = [];
  for await (const said of told(source, patience)) {
    if ('names' in said) names = said.names;
    break;
  }
  if (names.length === 0) throw badFile('The file has no columns');
  async function* rows(): Rows {
    for await (const said of told(source, patience)) if ('rows' in said) yield said.rows;
  }
  return rowsFile(columnNames(names), rows);
}

/** What a thread says of the file, one after the other, until it is over. @throws CatalogError VALIDATION, and what the source throws */
async function* told(source: Source, patience: number): AsyncGenerator<Exclude<Said, { ask: number }>> {
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { size: source.size, batch: BATCH },
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  });
  const tell = (message: Told, moved: ArrayBuffer[] = []) => worker.postMessage(message, moved);
  let waiting = { resolve(_said: Said) {}, reject(_failure: unknown) {} };
  let reading = 0; // what it has asked for and was not told yet: that is not its time
  let timer: NodeJS.Timeout | undefined;
  let failure: unknown = null;
  const fail = (thrown: unknown) => {
    failure ??= thrown;
    waiting.reject(failure);
  };
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () =>
        reading > 0 ? watch() : fail(notParquet(`a part of it was read for ${patience / 1_000} s without an end`)),
      patience,
    );
  };
  async function answer({ ask, start, end }: Extract<Said, { ask: number }>): Promise<void> {
    reading += 1;
    const chunks: Buffer[] = [];
    const last = Math.min(end, source.size) - 1; // a broken file names places that are none
    if (start >= 0 && start <= last)
      for await (const chunk of await source.open({ start, end: last })) chunks.push(chunk);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    tell({ ask, bytes }, [bytes.buffer as ArrayBuffer]);
    reading -= 1;
    watch();
  }
  worker.on('message', (said: Said) => {
    watch();
    if ('ask' in said) answer(said).catch(fail);
    else waiting.resolve(said);
  });
  worker.on('error', (thrown) =>
    fail(
      (thrown as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? notParquet(`a group of its rows takes more than ${MEMORY} MiB of memory`)
        : thrown,
    ),
  );
  worker.on('exit', () => fail(new Error('a thread that reads Parquet ended')));
  try {
    for (let isFirst = true; ; isFirst = false) {
      const said = await new Promise<Said>((resolve, reject) => {
        waiting = { resolve, reject };
        if (failure !== null) return reject(failure);
        watch();
        if (!isFirst) tell('on');
      });
      clearTimeout(timer); // whoever takes rows takes time
      if ('fault' in said) throw notParquet(said.fault);
      if ('over' in said) return;
      if (!('ask' in said)) yield said;
    }
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** What is wrong with the file is told to those who may load it. */
const notParquet = (why: string) => badFile(`The file is not read as Parquet: ${why}`);
