/** Reads a file in a child process. The server holds only the part in transfer. */

import { type Program, ProgramEnded, startProgram } from '../../infra/worker/program.ts';
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

/** A running child process. */
interface Outside extends Pick<OutsideOptions, 'memory' | 'signal'> {
  readonly program: Program;
  readonly parts: ReturnType<typeof partsOf>;
  answering: Promise<void>;
  broken: { readonly thrown: unknown } | null;
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
  const outside: Outside = {
    memory,
    ...(signal && { signal }),
    program,
    parts: partsOf(source),
    answering: Promise.resolve(),
    broken: null,
  };
  try {
    await say(outside, { ...options, size: source.size });
    const first = await next(outside);
    if (Buffer.isBuffer(first) || !('described' in first)) throw new Error('the file reader returned no column names');
    const reading = {
      described: first.described,
      rows: (kinds: Described['kinds']) => rows(outside, reading, kinds),
      close: async () => close(outside),
    };
    return reading;
  } catch (thrown) {
    close(outside);
    throw thrown;
  }
}

const say = (outside: Outside, message: ToReading) => outside.program.send(message);

/** Answers requests in order while rows are read. When the source fails, the child process ends and the source's error is thrown. */
function answer(outside: Outside, start: number, end: number): void {
  outside.answering = outside.answering
    .then(() => outside.program.untimed(() => outside.parts.read(start, end))) // the timeout of the child process includes the time for sending
    .then((part) => outside.program.send(part))
    .catch((thrown: unknown) => {
      outside.broken ??= { thrown };
      outside.program.end();
    });
}

/** The next message that is not a request for bytes. */
async function next(outside: Outside): Promise<Buffer | Exclude<FromReading, { ask: unknown }>> {
  for (;;) {
    const message = (await outside.program.next().catch((thrown: unknown) => {
      throw outside.broken ? outside.broken.thrown : refusalOf(thrown, outside.memory);
    })) as Buffer | FromReading;
    if (Buffer.isBuffer(message) || !('ask' in message)) return message;
    answer(outside, ...message.ask);
  }
}

async function* rows(
  outside: Outside,
  reading: { described: Described },
  kinds: Described['kinds'],
): AsyncGenerator<Buffer, number | null> {
  await say(outside, { kinds });
  let isOver = false;
  try {
    for (;;) {
      const message = await next(outside);
      if (Buffer.isBuffer(message)) yield message;
      else if ('described' in message) reading.described = message.described;
      else {
        isOver = true;
        return message.rows;
      }
    }
  } finally {
    if (!isOver) await stop(outside);
  }
}

/** Stops the current rows so that others can be requested. When the child process has ended, its next use throws the reason. */
async function stop(outside: Outside): Promise<void> {
  try {
    await say(outside, { stop: true });
    for (let message = await next(outside); !('rows' in message); message = await next(outside));
  } catch {
    // the next use throws it
  }
}

function close(outside: Outside): void {
  outside.signal?.removeEventListener('abort', outside.program.end);
  outside.program.end();
  void outside.parts.close().catch(() => {}); // not awaited: the current read may take long
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
  return new CatalogError(
    'UNAVAILABLE',
    'The program that reads the file did not start, or was ended from outside. Try again later',
  );
}
