/** A file as CSV text that can be read several times, and its properties known in advance. */
import type { Layout } from './scan.ts';

/** A byte source that can be read several times. */
export interface Source {
  /** Size in bytes. */
  readonly size: number;
  open(range?: { readonly start: number; readonly end: number }): Promise<AsyncIterable<Buffer>>;
}

export interface TextFile {
  /** CSV in UTF-8, from the start. */
  open(): AsyncIterable<Buffer>;
  readonly layout: Layout;
  readonly names: readonly string[];
}

/** Bytes at the start of a file used to detect its format. */
export const SAMPLE = 2 ** 20;

/** The first bytes, and whether they are the entire file. */
export async function startOf(
  chunks: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ start: Buffer; isWhole: boolean }> {
  const taken: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    size += chunk.length;
    if (size >= bytes) return { start: Buffer.concat(taken), isWhole: false };
  }
  return { start: Buffer.concat(taken), isWhole: true };
}
