/** A file as a CSV text that can be read more than once, and what is known of it before it is read to its end. */
import type { Layout } from './scan.ts';

/** Bytes that can be read more than once. */
export interface Source {
  /** Bytes. */
  readonly size: number;
  open(range?: { readonly start: number; readonly end: number }): Promise<AsyncIterable<Buffer>>;
}

export interface TextFile {
  /** CSV in UTF-8, from the beginning. */
  open(): AsyncIterable<Buffer>;
  readonly layout: Layout;
  readonly names: readonly string[];
}

/** Bytes at the beginning of a file by which it is told how to read it. */
export const SAMPLE = 2 ** 20;

/** The first bytes, and whether that is all. */
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
