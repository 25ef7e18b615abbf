/** Files in a folder of this machine: `<folder>/ab/<hash of the key>`, and `<folder>/.incoming/<token>` for those on probation. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs, ByteRange } from '../kernel/blobs.ts';
import { CatalogError } from '../kernel/errors.ts';

export interface FolderOptions {
  readonly folder: string;
  /** Bytes of one file, at most (catalog.limits.upload). */
  readonly limit: number;
}

const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** ms after which a file that came in, and was not written to since, is a leftover. */
const LEFTOVER = 60 * 60 * 1000;

/** A store in a folder, which is made when the first file comes in. */
export function createFolderBlobs({ folder, limit }: FolderOptions): Blobs {
  const incoming = join(folder, '.incoming');
  /** Those that requests of this process still need, however long they take. */
  const live = new Set<string>();

  /** @throws Error for a text that is no token: it must never be part of a path. */
  function pathOfToken(token: string): string {
    if (!TOKEN.test(token)) throw new Error('not a token');
    return join(incoming, token);
  }

  /** The key is hashed, so that whatever it is, the path stays inside. */
  function pathOf(key: string): string {
    const hash = createHash('sha256').update(key).digest('hex');
    return join(folder, hash.slice(0, 2), hash);
  }

  return {
    async receive(source) {
      const token = randomUUID();
      const path = join(incoming, token);
      live.add(token);
      try {
        mkdirSync(incoming, { recursive: true, mode: 0o700 });
        await pipeline(
          source,
          (chunks: AsyncIterable<Buffer>) => bounded(chunks, limit),
          createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
        );
        return token;
      } catch (thrown) {
        live.delete(token);
        await rm(path, { force: true });
        throw isFull(thrown)
          ? new CatalogError('UNAVAILABLE', 'There is no room for the file. Try again later.')
          : thrown;
      }
    },
    async sizeOf(token) {
      if (!TOKEN.test(token)) return null;
      return stat(pathOfToken(token)).then(({ size }) => size, missing);
    },
    async keep(token, key) {
      const path = pathOf(key);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(pathOfToken(token), path).catch(async (failure) => {
        await access(path).catch(() => {
          throw failure;
        }); // kept already: the transaction is tried again
      });
      await syncFolder(dirname(path));
    },
    discard(token) {
      live.delete(token);
      return rm(pathOfToken(token), { force: true });
    },
    open: (key, range) => openFile(pathOf(key), range),
    remove: (key) => rm(pathOf(key), { force: true }),
    async sweep() {
      const before = Date.now() - LEFTOVER;
      for (const name of await readdir(incoming).catch(() => [])) {
        if (live.has(name)) continue;
        const path = join(incoming, name);
        const found = await stat(path).catch(missing);
        if (found && found.mtimeMs < before) await rm(path, { force: true });
      }
    },
  };
}

const isFull = (thrown: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((thrown as NodeJS.ErrnoException).code ?? '');

async function* bounded(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) {
      const message = `The file is larger than ${limit} bytes (catalog.limits.upload)`;
      throw new CatalogError('LIMIT', message, [{ path: ['upload'], message }]);
    }
    yield chunk;
  }
}

async function openFile(path: string, range: ByteRange | undefined): Promise<Readable | null> {
  const file = await open(path, 'r').catch(missing);
  return file ? file.createReadStream({ ...range, highWaterMark: 256 * 1024 }) : null;
}

/** Makes a rename outlast a power cut. Not every file system can; then there is nothing to do. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function missing(failure: NodeJS.ErrnoException): null {
  if (failure.code === 'ENOENT') return null;
  throw failure;
}
