/** Reads a file in a child process. The server holds only the part in transfer. */

import { ProgramEnded, startProgram } from '../../infra/worker/program.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { badFile } from '../read/problem.ts';
import type { FromReading, ToReading } from '../read/reading.program.ts';
import type { Described, Reading, ReadingOptions } from '../read/reading.ts';
import type { Source } from '../read/text-file.ts';

export interface OutsideOptions extends ReadingOptions {
  /** Memory limit of the child process in bytes (catalog.loading.max_memory). */
  readonly memory: number;
  /** Maximum ms of computation between two messages. */
  readonly timeout?: number;
  /** Stops the child process. */
  readonly signal?: AbortSignal;
}

/** Always call `close`. @throws CatalogError VALIDATION, LIMIT, UNAVAILABLE, and errors of the source */
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

  /** Answers requests in order while rows are read. When the source fails, the child process ends and the source's error is thrown. */
  function answer(start: number, end: number): void {
    answering = answering
      .then(() => program.untimed(() => parts.read(start, end))) // the timeout of the child process includes the time for sending
      .then((part) => program.send(part))
      .catch((thrown: unknown) => {
        broken ??= { thrown };
        program.end();
      });
  }

  /** The next message that is not a request for bytes. */
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

  /** Stops the current rows so that others can be requested. When the child process has ended, its next use throws the reason. */
  async function stop(): Promise<void> {
    try {
      await say({ stop: true });
      for (let message = await next(); !('rows' in message); message = await next());
    } catch {
      // the next use throws it
    }
  }

  const close = async () => {
    signal?.removeEventListener('abort', program.end);
    program.end();
    void parts.close().catch(() => {}); // not awaited: the current read may take long
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

/** Parts of a source. Consecutive parts share one stream, because every stream of a bucket is a request. */
function partsOf(source: Source) {
  let chunks: AsyncIterator<Buffer> | null = null;
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  const close = async () => {
    await chunks?.return?.();
    chunks = null;
  };
  /** Bytes `start` to `end`, both inclusive. */
  async function read(start: number, end: number): Promise<Buffer> {
    if (chunks === null || start !== position) {
      await close();
      chunks = (await source.open({ start, end: source.size - 1 }))[Symbol.asyncIterator]();
      rest = Buffer.alloc(0);
      position = start;
    }
    const requested = end + 1 - start;
    const pieces = [rest];
    let size = rest.length;
    while (size < requested) {
      const { value, done } = await chunks.next();
      if (done) throw new CatalogError('UNAVAILABLE', 'The file is shorter than its announced size');
      pieces.push(value);
      size += value.length;
    }
    const bytes = pieces.length === 1 ? rest : Buffer.concat(pieces);
    rest = bytes.subarray(requested);
    position += requested;
    return bytes.subarray(0, requested);
  }
  return { read, close };
}

/** Error for users who may load the file. */
function refusalOf(thrown: unknown, memory: number): unknown {
  if (!(thrown instanceof ProgramEnded)) return thrown;
  const tooMuch = `takes more than ${memory} bytes of memory (catalog.loading.max_memory)`;
  if (thrown.reason === 'memory') return new CatalogError('LIMIT', `Reading the file ${tooMuch}`);
  if (thrown.reason === 'crashed')
    return new CatalogError('LIMIT', `The file reader failed: it ${tooMuch}, or the file is damaged`);
  if (thrown.reason === 'timeout') return badFile('The file reader timed out: the file is damaged or malicious');
  return new CatalogError('UNAVAILABLE', 'The file reader was killed');
}
