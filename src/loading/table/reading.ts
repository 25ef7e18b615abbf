/** Reads a file by a program in a process of its own: the server holds no more of it than the part that is under way. */

import { ProgramEnded, startProgram } from '../../infra/worker/program.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { badFile } from '../read/problem.ts';
import type { FromReading, ToReading } from '../read/reading.program.ts';
import type { Described, Reading, ReadingOptions } from '../read/reading.ts';
import type { Source } from '../read/text-file.ts';

export interface OutsideOptions extends ReadingOptions {
  /** Bytes of memory that the program may take (catalog.loading.max_memory). */
  readonly memory: number;
  /** ms that it may compute without a message. */
  readonly timeout?: number;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

/** Call `close` in any case. @throws CatalogError VALIDATION, LIMIT, UNAVAILABLE, and what the source throws */
export async function readOutside(
  source: Source,
  { memory, timeout, signal, ...options }: OutsideOptions,
): Promise<Reading> {
  const program = startProgram({
    module: 'src/loading/read/reading.program',
    memory,
    ...(timeout !== undefined && { timeout }),
  });
  signal?.addEventListener('abort', program.end);
  if (signal?.aborted) program.end();
  const say = (message: ToReading) => program.send(message);
  const parts = partsOf(source);
  let described: Described;
  let answering: Promise<void> = Promise.resolve();
  let broken: { readonly thrown: unknown } | null = null;

  /** In order, while rows go on. The program ends where the source fails, and what that threw is thrown. */
  function answer(start: number, end: number): void {
    answering = answering
      .then(() => program.untimed(() => parts.read(start, end))) // the time that sending takes is the program's
      .then((part) => program.send(part))
      .catch((thrown: unknown) => {
        broken ??= { thrown };
        program.end();
      });
  }

  /** The next message that is no question. */
  async function next(): Promise<Buffer | Exclude<FromReading, { ask: unknown }>> {
    for (;;) {
      const message = (await program.next().catch((thrown: unknown) => {
        throw broken ? broken.thrown : refusalOf(thrown, memory);
      })) as Buffer | FromReading;
      if (Buffer.isBuffer(message) || !('ask' in message)) return message;
      answer(...message.ask);
    }
  }

  async function* rows(kinds: Described['kinds']): AsyncGenerator<Buffer, number | null> {
    await say({ kinds });
    let isOver = false;
    try {
      for (;;) {
        const message = await next();
        if (Buffer.isBuffer(message)) yield message;
        else if ('described' in message) described = message.described;
        else {
          isOver = true;
          return message.rows;
        }
      }
    } finally {
      if (!isOver) await stop();
    }
  }

  /** Has the rows under way end, so that others can be asked for. Where the program has ended, its next use says why. */
  async function stop(): Promise<void> {
    try {
      await say({ stop: true });
      for (let message = await next(); !('rows' in message); message = await next());
    } catch {
      // as said
    }
  }

  const close = async () => {
    signal?.removeEventListener('abort', program.end);
    program.end();
    void parts.close().catch(() => {}); // not awaited: what is read at this moment may take its time
  };
  try {
    await say({ ...options, size: source.size });
    const first = await next();
    if (Buffer.isBuffer(first) || !('described' in first)) throw new Error('the file reader returned no column names');
    described = first.described;
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    get described() {
      return described;
    },
    rows,
    close,
  };
}

/** Parts of a source. Those that follow each other come from one stream: each stream of a bucket is a request. */
function partsOf(source: Source) {
  let chunks: AsyncIterator<Buffer> | null = null;
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  const close = async () => {
    await chunks?.return?.();
    chunks = null;
  };
  /** Bytes `start` to `end`, both included. */
  async function read(start: number, end: number): Promise<Buffer> {
    if (chunks === null || start !== position) {
      await close();
      chunks = (await source.open({ start, end: source.size - 1 }))[Symbol.asyncIterator]();
      rest = Buffer.alloc(0);
      position = start;
    }
    const wanted = end + 1 - start;
    const pieces = [rest];
    let size = rest.length;
    while (size < wanted) {
      const { value, done } = await chunks.next();
      if (done) throw new CatalogError('UNAVAILABLE', 'The file is shorter than its announced size');
      pieces.push(value);
      size += value.length;
    }
    const bytes = pieces.length === 1 ? rest : Buffer.concat(pieces);
    rest = bytes.subarray(wanted);
    position += wanted;
    return bytes.subarray(0, wanted);
  }
  return { read, close };
}

/** What is wrong, for those who may load the file. */
function refusalOf(thrown: unknown, memory: number): unknown {
  if (!(thrown instanceof ProgramEnded)) return thrown;
  const tooMuch = `takes more than ${memory} bytes of memory (catalog.loading.max_memory)`;
  if (thrown.reason === 'memory') return new CatalogError('LIMIT', `Reading the file ${tooMuch}`);
  if (thrown.reason === 'crashed')
    return new CatalogError('LIMIT', `The file reader failed: it ${tooMuch}, or the file is damaged`);
  if (thrown.reason === 'timeout') return badFile('The file reader timed out: the file is damaged or malicious');
  return new CatalogError('UNAVAILABLE', 'The file reader was killed');
}
