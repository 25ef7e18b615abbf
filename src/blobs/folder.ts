/** Stores files in a local folder, as `<folder>/ab/<hash of the key>`. Files that are not committed are in `<folder>/.incoming/<token>`. */
import { createHash } from 'node:crypto';
import { constants, createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { access, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs, ByteRange, StoredFile } from '../infra/files/blobs.ts';
import { CatalogError } from '../kernel/errors.ts';
import { createProbation, isToken } from './probation.ts';

export interface FolderOptions {
  readonly folder: string;
  /** Maximum bytes of one file (catalog.limits.upload). */
  readonly limit: number;
}

const NAME = /^[0-9a-f]{64}$/;
/** ms without a write after which an uncommitted file counts as abandoned. */
const LEFTOVER = 60 * 60 * 1000;

/** Free bytes of the file system below which the store counts as full. */
const FREE = 1024 * 1024;

/** A store in a folder, which is created with the first file or check. */
export function createFolderBlobs({ folder, limit }: FolderOptions): Blobs {
  const incoming = join(folder, '.incoming');
  const probation = createProbation(limit);
  let wasChecked = false;

  /** @throws Error for a malformed token, which must never become part of a path */
  function pathOfToken(token: string): string {
    if (!isToken(token)) throw new Error('not a token');
    return join(incoming, token);
  }

  const locationOf = (name: string): string => join(folder, name.slice(0, 2), name);
  const pathOf = (key: string): string => locationOf(nameOf(key));

  return {
    async receive(source) {
      const token = probation.begin();
      const path = join(incoming, token);
      let file: WriteStream | undefined;
      try {
        mkdirSync(incoming, { recursive: true, mode: 0o700 });
        file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
        await pipeline(source, (chunks: AsyncIterable<Buffer>) => probation.watch(token, chunks), file);
        return token;
      } catch (thrown) {
        probation.end(token);
        if (file) await closed(file);
        await rm(path, { force: true });
        throw isFull(thrown) ? new CatalogError('UNAVAILABLE', 'The file storage is full. Try again later.') : thrown;
      }
    },
    sizeOf: probation.sizeOf,
    startOf: probation.startOf,
    async keep(token) {
      const path = pathOf(token);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(pathOfToken(token), path).catch(async (failure) => {
        await access(path).catch(() => {
          throw failure;
        }); // already committed: the transaction is being retried
      });
      probation.end(token);
      await syncFolder(dirname(path));
    },
    discard(token) {
      probation.end(token);
      return rm(pathOfToken(token), { force: true });
    },
    async put(key, source) {
      const path = pathOf(key);
      const draft = pathOfToken(key);
      for (const folder of [incoming, dirname(path)]) await mkdir(folder, { recursive: true, mode: 0o700 });
      await pipeline(source, createWriteStream(draft, { mode: 0o600, flush: true }));
      await rename(draft, path);
      await syncFolder(dirname(path));
    },
    open: (key, range) => openFile(pathOf(key), range),
    has: (key) =>
      stat(pathOf(key))
        .then(() => true, missing)
        .then(Boolean),
    async check() {
      if (!wasChecked) await mkdir(folder, { recursive: true, mode: 0o700 });
      wasChecked = true; // from now on, a folder that is gone is a failure, such as a lost volume
      await access(folder, constants.W_OK);
      const { bavail, bsize, blocks } = await statfs(folder);
      if (blocks > 0 && bavail * bsize < FREE) throw new Error('no space left');
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async sweep() {
      const before = Date.now() - LEFTOVER;
      for (const name of await readdir(incoming).catch(() => [])) {
        if (probation.has(name)) continue; // a request still uses it, however long it takes
        const path = join(incoming, name);
        const found = await stat(path).catch(missing);
        if (found && found.mtimeMs < before) await rm(path, { force: true });
      }
    },
    landing: null,
    list: () => listFiles(folder),
    nameOf,
    async removeListed(name) {
      if (NAME.test(name)) await rm(locationOf(name), { force: true });
    },
    close() {},
  };
}

/** Closes the file and waits: a file still being opened would appear after its removal. */
function closed(file: WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (file.closed) return resolve();
    file.once('close', resolve);
    file.destroy();
  });
}

/** Hashed, so that the path stays inside the folder for any key. */
const nameOf = (key: string): string => createHash('sha256').update(key).digest('hex');

async function* listFiles(folder: string): AsyncGenerator<StoredFile> {
  for (const part of await readdir(folder).catch(() => [])) {
    if (!/^[0-9a-f]{2}$/.test(part)) continue;
    for (const name of await readdir(join(folder, part))) {
      const found = NAME.test(name) ? await stat(join(folder, part, name)).catch(missing) : null;
      if (found) yield { name, modified: found.mtime, size: found.size };
    }
  }
}

const isFull = (thrown: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((thrown as NodeJS.ErrnoException).code ?? '');

async function openFile(path: string, range: ByteRange | undefined): Promise<Readable | null> {
  const file = await open(path, 'r').catch(missing);
  return file ? file.createReadStream({ ...range, highWaterMark: 256 * 1024 }) : null;
}

/** Makes a rename durable across a power failure. Ignores file systems that cannot. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

function missing(failure: NodeJS.ErrnoException): null {
  if (failure.code === 'ENOENT') return null;
  throw failure;
}
