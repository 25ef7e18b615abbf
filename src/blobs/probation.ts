/** Tracks files received by this process that are neither committed nor discarded: their size and first bytes. */
import { randomUUID } from 'node:crypto';
import { CatalogError } from '../kernel/errors.ts';

/** Bytes stored from the start of a file. */
export const START = 256;
const TOKEN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** True for text in the format of a token, which may therefore be a key. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** `limit`: maximum bytes of one file (catalog.limits.upload). */
export function createProbation(limit: number) {
  const live = new Map<string, { size: number; start: Buffer }>();

  return {
    /** A token for a new upload. */
    begin(): string {
      const token = randomUUID();
      live.set(token, { size: 0, start: Buffer.alloc(0) });
      return token;
    },
    /** The chunks, unchanged and counted. @throws CatalogError LIMIT, naming the setting */
    async *watch(token: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      const file = live.get(token)!;
      for await (const chunk of chunks) {
        file.size += chunk.length;
        if (file.size > limit)
          throw new CatalogError('LIMIT', `The file exceeds ${limit} bytes (catalog.limits.upload)`);
        if (file.start.length < START) file.start = Buffer.concat([file.start, chunk]).subarray(0, START);
        yield chunk;
      }
    },
    has: (token: string): boolean => live.has(token),
    sizeOf: (token: string): number | null => live.get(token)?.size ?? null,
    startOf: (token: string): Buffer => live.get(token)?.start ?? Buffer.alloc(0),
    /** True when it was tracked. */
    end: (token: string): boolean => live.delete(token),
  };
}
