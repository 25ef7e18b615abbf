/** Writes and reads the members of a backup, with their checksums. */
import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type End, type Kind, type Member, nameOf, PART, readName } from './format.ts';
import { damaged, END_OF_ARCHIVE, readTar, tarMember } from './tar.ts';

const packed = promisify(gzip);
const unpacked = promisify(gunzip);
/** Fast compression: a backup should not slow the server down. */
const LEVEL = 1;

/** Makes the bytes of an archive. Its functions return what to write next. */
export interface ArchiveWriter {
  json(folder: string, number: number, value: unknown): Buffer[];
  /** Members with the bytes of the source, beginning with number 1. Returns their number. */
  parts(folder: string, source: AsyncIterable<Buffer>, kind: 'gz' | 'bin'): AsyncGenerator<Buffer, number>;
  end(): Buffer[];
}

export function createArchiveWriter(at: Date): ArchiveWriter {
  const time = Math.floor(at.getTime() / 1000);
  const chain = createHash('sha256');
  let members = 0;

  function member(folder: string, number: number, kind: Kind, content: Buffer): Buffer[] {
    const name = nameOf(folder, number, sha256Of(content), kind);
    chain.update(`${name}\n`);
    members += 1;
    return tarMember(name, content, time);
  }

  const json = (folder: string, number: number, value: unknown): Buffer[] =>
    member(folder, number, 'json', Buffer.from(JSON.stringify(value)));

  return {
    json,
    async *parts(folder, source, kind) {
      let number = 0;
      for await (const part of inParts(source)) {
        number += 1;
        yield* member(folder, number, kind, kind === 'gz' ? await packed(part, { level: LEVEL }) : part);
      }
      return number;
    },
    end() {
      const end: End = { members, chain: chain.digest('hex') };
      const content = Buffer.from(JSON.stringify(end));
      return [...tarMember(nameOf('end', 0, sha256Of(content), 'json'), content, time), END_OF_ARCHIVE];
    },
  };
}

const sha256Of = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The same bytes in chunks of equal size, except the last one. */
async function* inParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let size = 0;
  for await (let chunk of source) {
    while (size + chunk.length >= PART) {
      const fitting = chunk.subarray(0, PART - size);
      yield Buffer.concat([...waiting, fitting], PART);
      chunk = chunk.subarray(fitting.length);
      waiting = [];
      size = 0;
    }
    if (chunk.length > 0) waiting.push(chunk);
    size += chunk.length;
  }
  if (size > 0) yield Buffer.concat(waiting, size);
}

/** Members in order, each checked; the last one is not among them. @throws BackupError for a damaged or incomplete archive */
export async function* readArchive(source: AsyncIterable<Buffer>): AsyncGenerator<Member> {
  const chain = createHash('sha256');
  let members = 0;
  let isOver = false;
  for await (const { name, content } of readTar(source)) {
    const found = readName(name);
    if (found === null || isOver) throw damaged(`unexpected member ${JSON.stringify(name)}`);
    const { sha256, ...member } = found;
    if (sha256Of(content) !== sha256) throw damaged(`checksum of member ${name}`);
    isOver = member.folder === 'end';
    if (isOver) checkEnd(content, members, chain);
    else {
      chain.update(`${name}\n`);
      members += 1;
      yield { ...member, content };
    }
  }
  if (!isOver) throw damaged('the end record is missing, so the file is incomplete');
}

function checkEnd(content: Buffer, members: number, chain: Hash): void {
  const end = jsonOf<End>(content);
  if (end.members !== members || end.chain !== chain.digest('hex'))
    throw damaged('members are missing or out of order');
}

/** @throws BackupError for other text */
export function jsonOf<T>(content: Buffer): T {
  try {
    return JSON.parse(content.toString('utf8')) as T;
  } catch {
    throw damaged('a member is not JSON');
  }
}

/** Content of a member without its compression. @throws BackupError if it cannot be unpacked */
export async function bytesOf({ folder, kind, content }: Member): Promise<Buffer> {
  if (kind !== 'gz') return content;
  return unpacked(content, { maxOutputLength: PART }).catch(() => {
    throw damaged(`${folder} cannot be unpacked`);
  });
}
