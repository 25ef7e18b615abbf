/**
 * Members of a tar archive (ustar): plain files whose content fits into memory. The reader accepts only what the writer writes, so it
 * finds a change of any byte.
 */
import { BackupError, MAX_MEMBER } from './format.ts';

const BLOCK = 512;
/** Bytes of the name in a header; the folders before it are in another field. */
const NAME_LENGTH = 100;

const EMPTY = Buffer.alloc(BLOCK);
/** The two empty blocks at the end. */
export const END_OF_ARCHIVE = Buffer.alloc(2 * BLOCK);

/** Header, content and padding. `time` in seconds. */
export function tarMember(name: string, content: Buffer, time: number): Buffer[] {
  return [headerOf(name, content.length, time), content, Buffer.alloc(paddingOf(content.length))];
}

const paddingOf = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

function headerOf(name: string, size: number, time: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  const slash = name.lastIndexOf('/');
  const base = name.slice(slash + 1);
  if (base.length > NAME_LENGTH) throw new Error(`file name is longer than ${NAME_LENGTH} characters: ${name}`);
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0');
  header.write(base, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(time, 12), 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257, 'latin1');
  header.write(name.slice(0, Math.max(slash, 0)), 345);
  header.write(`${octal(sumOf(header), 7)}\0 `, 148, 'latin1');
  return header;
}

function sumOf(header: Buffer): number {
  let sum = 0;
  for (const byte of header) sum += byte;
  return sum;
}

/** Members in order. @throws BackupError at the first byte that no writer wrote, and at an early end */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<{ name: string; content: Buffer }> {
  const bytes = createByteReader(source);
  for (let at = 0; ; at += 1) {
    const header = await bytes.take(BLOCK);
    if (header.equals(EMPTY)) break;
    const { name, size } = readHeader(header, at);
    const content = await bytes.take(size);
    const padding = await bytes.take(paddingOf(size));
    if (!padding.equals(EMPTY.subarray(0, padding.length))) throw damaged(`bytes after member ${name}`);
    yield { name, content };
  }
  if (!(await bytes.take(BLOCK)).equals(EMPTY)) throw damaged('its end');
  if (!(await bytes.isOver())) throw damaged('bytes after its end');
}

function readHeader(header: Buffer, at: number): { name: string; size: number } {
  const text = (from: number, length: number) => header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
  const base = text(0, NAME_LENGTH);
  const folder = text(345, 155);
  const name = folder === '' ? base : `${folder}/${base}`;
  const size = Number.parseInt(text(124, 12), 8);
  const time = Number.parseInt(text(136, 12), 8);
  const isOurs = Number.isSafeInteger(size) && size >= 0 && size <= MAX_MEMBER && Number.isSafeInteger(time);
  if (!isOurs || !headerOf(name, size, time).equals(header)) throw damaged(`header of member ${at + 1}`);
  return { name, size };
}

export const damaged = (what: string): BackupError =>
  new BackupError(`The backup is damaged (${what}). Nothing was restored. Use another copy or an older backup.`);

function createByteReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  return {
    /** @throws BackupError at an early end */
    async take(count: number): Promise<Buffer> {
      const parts: Buffer[] = [];
      let missing = count;
      while (missing > 0) {
        if (rest.length === 0) {
          const next = await chunks.next();
          if (next.done) throw damaged('it ends early');
          rest = next.value;
          continue;
        }
        const part = rest.subarray(0, missing);
        rest = rest.subarray(part.length);
        missing -= part.length;
        parts.push(part);
      }
      return parts.length === 1 ? parts[0]! : Buffer.concat(parts, count);
    },
    async isOver(): Promise<boolean> {
      while (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) return true;
        rest = next.value;
      }
      return false;
    },
  };
}
