/** Framing of messages between the server and a program in a separate process: JSON or bytes, each after its length. */
import type { Readable, Writable } from 'node:stream';

/** One end of the connection between two processes. */
export interface Port {
  /** Sends JSON, or bytes unchanged. Resolves when the receiver keeps up. */
  send(message: object): Promise<void>;
  /** The next message; null at the end. Bytes are a Buffer. @throws Error for a frame above MAX_FRAME */
  next(): Promise<object | null>;
}

/** Maximum bytes of one message. */
export const MAX_FRAME = 4 * 2 ** 20;
/** Bytes of a frame's header: length (4 bytes), and JSON (0) or bytes (1). */
const HEAD = 5;

export function portOn(input: Readable, output: Writable): Port {
  const frames = framesOf(input);
  return {
    async send(message) {
      const isBytes = message instanceof Uint8Array;
      const body = isBytes ? message : Buffer.from(JSON.stringify(message));
      const head = Buffer.allocUnsafe(HEAD);
      head.writeUInt32LE(body.length, 0);
      head[4] = isBytes ? 1 : 0;
      output.cork();
      output.write(head);
      const isFree = output.write(body);
      output.uncork();
      if (!isFree) await drained(output);
    },
    next: async () => (await frames.next()).value ?? null,
  };
}

/** Also resolves when the receiver has ended: the reader of its messages reports that. */
const drained = (output: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (output.destroyed || !output.writableNeedDrain) return resolve();
    const done = () => {
      output.off('drain', done).off('close', done);
      resolve();
    };
    output.on('drain', done).on('close', done);
  });

async function* framesOf(input: AsyncIterable<Buffer>): AsyncGenerator<object> {
  let held: Buffer[] = [];
  let size = 0;
  let needed = HEAD;
  for await (const chunk of input) {
    held.push(chunk);
    size += chunk.length;
    if (size < needed) continue;
    const bytes = held.length === 1 ? chunk : Buffer.concat(held);
    let at = 0;
    for (needed = HEAD; bytes.length - at >= needed; needed = HEAD) {
      const length = bytes.readUInt32LE(at);
      if (length > MAX_FRAME) throw new Error(`a message of ${length} bytes: at most ${MAX_FRAME}`);
      needed = HEAD + length;
      if (bytes.length - at < needed) break;
      const body = bytes.subarray(at + HEAD, at + needed);
      yield bytes[at + 4] === 0 ? JSON.parse(body.toString('utf8')) : body;
      at += needed;
    }
    held = [bytes.subarray(at)];
    size = bytes.length - at;
  }
}
