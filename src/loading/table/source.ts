/** The bytes of a resource's file: those that are kept here, or those that its link leads to, fetched into a file without a name. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Call } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { fetchOutside } from '../../kernel/outside.ts';
import type { Source } from '../read/text-file.ts';

/** Bytes read at a time. */
const CHUNK = 512 * 1024;

/** What was fetched; `close` lets go of it. */
export interface Fetched extends Source {
  readonly hash: string;
  readonly etag: string | null;
  readonly modified: string | null;
  close(): Promise<void>;
}

/** The bytes of an uploaded file. @throws CatalogError NOT_FOUND, when they are read */
export const keptSource = ({ blobs }: Call, key: string, size: number): Source => ({
  size,
  async open(range) {
    const bytes = await blobs.open(key, range);
    if (!bytes) throw new CatalogError('NOT_FOUND', 'The file is not there any more');
    return bytes;
  },
});

/** SHA-256 of all bytes, in hexadecimal. */
export async function hashOf(source: Source, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of await source.open()) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** What is known of a file that was fetched before, to ask only for another one. */
interface Known {
  readonly etag: string | null;
  readonly modified: string | null;
}

/** Fetches a link; null when the server says that nothing has changed. @throws CatalogError VALIDATION, UNAVAILABLE, LIMIT */
export async function fetchedSource(
  { settings }: Call,
  url: string,
  known: Known | null,
  stop: AbortSignal,
  progress: (done: number, total: number | null) => void,
): Promise<Fetched | null> {
  const seconds = settings['catalog.loading.timeout'];
  const late = AbortSignal.timeout(seconds * 1_000);
  try {
    const { status, headers, body } = await fetchOutside({
      url,
      headers: {
        ...(known?.etag && { 'if-none-match': known.etag }),
        ...(known?.modified && { 'if-modified-since': known.modified }),
      },
      allowedHosts: settings['catalog.loading.allowed_hosts'],
      signal: AbortSignal.any([stop, late]),
    });
    if (status === 304) {
      body.destroy();
      return null;
    }
    const length = Number(headers['content-length'] ?? 0);
    const total = headers['content-encoding'] === undefined && length > 0 ? length : null;
    const most = settings['catalog.loading.max_size'];
    if ((total ?? 0) > most) {
      body.destroy();
      throw tooLarge(most);
    }
    const { handle, size, hash } = await taken(body, most, tooLarge, (done) => progress(done, total));
    return {
      size,
      hash,
      etag: headers.etag ?? null,
      modified: headers['last-modified'] ?? null,
      open: readerOf(handle),
      close: () => handle.close(),
    };
  } catch (thrown) {
    if (thrown instanceof CatalogError) throw thrown;
    stop.throwIfAborted();
    if (late.aborted)
      throw new CatalogError('UNAVAILABLE', `Fetching took longer than ${seconds} s (catalog.loading.timeout)`);
    throw new CatalogError('UNAVAILABLE', `The link could not be read to its end (${(thrown as Error).message})`);
  }
}

const tooLarge = (most: number) =>
  new CatalogError('LIMIT', `The linked file is larger than ${most} bytes (catalog.loading.max_size)`);

/** Reads a file, or a part of it, as often as wanted. A stream of it would close it for all when one reader has seen enough. */
export const readerOf =
  (handle: FileHandle): Source['open'] =>
  async ({ start, end } = { start: 0, end: Number.POSITIVE_INFINITY }) =>
    chunksOf(handle, start, end);

async function* chunksOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at <= end; ) {
    const length = Math.min(CHUNK, end - at + 1);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

/** Writes a stream to a file that is gone when this process is. @throws what `tooLarge` makes of a stream of more than `most` bytes */
export async function taken(
  body: AsyncIterable<Buffer>,
  most: number,
  tooLarge: (most: number) => CatalogError,
  progress: (done: number) => void,
): Promise<{ handle: FileHandle; size: number; hash: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'catalog-load-'));
  const handle = await open(join(folder, 'file'), 'wx+');
  try {
    await rm(folder, { recursive: true, force: true });
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > most) throw tooLarge(most);
      hash.update(chunk);
      await handle.appendFile(chunk);
      progress(size);
    }
    return { handle, size, hash: hash.digest('hex') };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}
