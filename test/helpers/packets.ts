/** The packets that this process sends to PostgreSQL. */
import { Socket } from 'node:net';

type Write = (this: Socket, ...args: unknown[]) => unknown;
type Writes = Record<'_write' | '_writev', Write>;

/** Types of messages: Parse, Bind, and a simple query. */
const TYPES = 'PBQ';
/** Maximum length of a message. Words such as POST, read as a header, have larger lengths. */
const MAX_LENGTH = 100_000_000;

/** Messages that `work` sends to PostgreSQL, in order, one text per write to a socket. */
export async function packetsOf(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const own = Socket.prototype as unknown as Writes;
  const { _write, _writev } = own;
  const note = (bytes: Buffer) => {
    if (TYPES.includes(String.fromCharCode(bytes[0]!)) && bytes.readUInt32BE(1) < MAX_LENGTH)
      sent.push(bytes.toString('latin1'));
  };
  const bytesOf = (chunk: unknown, encoding: unknown) =>
    Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string, encoding as BufferEncoding);
  own._write = function (...args) {
    note(bytesOf(args[0], args[1]));
    return _write.apply(this, args);
  };
  own._writev = function (...args) {
    const chunks = args[0] as { chunk: unknown; encoding: unknown }[];
    note(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))));
    return _writev.apply(this, args);
  };
  try {
    await work();
  } finally {
    Object.assign(own, { _write, _writev });
  }
  return sent;
}
