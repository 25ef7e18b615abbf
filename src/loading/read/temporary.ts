/** Unnamed temporary files, which disappear when the process ends. */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogError } from '../../kernel/errors.ts';
import type { Source } from './text-file.ts';

/** Bytes per read. */
const CHUNK = 512 * 1024;

/** Reads a file or a part of it any number of times. Uses positional reads, because a stream would close the file for all readers. */
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

/**
 * Writes a stream to a temporary file that disappears when this process ends.
 * @throws the error from `tooLarge` for a stream of more than `max` bytes
 */
export async function taken(
  body: AsyncIterable<Buffer>,
  max: number,
  tooLarge: (max: number) => CatalogError,
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
      if (size > max) throw tooLarge(max);
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
