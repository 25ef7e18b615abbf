/** Compresses response bodies outside the main thread, for clients that accept it. */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { preferredEncoding } from './negotiation.ts';

/** Minimum bytes for compression. A smaller response is one packet anyway. */
const WORTH_PACKING = 1_400;
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Of the qualities 0–11, those above 4 take longer than the transfer they save. */
const brotli = (size?: number): BrotliOptions => ({
  params: {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: 4,
    ...(size !== undefined && { [constants.BROTLI_PARAM_SIZE_HINT]: size }),
  },
});

const packers: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) => promisify(brotliCompress)(bytes, brotli(bytes.length)),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export interface Compressed {
  readonly bytes: Buffer;
  /** Null: uncompressed. */
  readonly encoding: Encoding | null;
}

/** Encoding that `compress` would choose; null: none. */
export const packingOf = (acceptEncoding: string | string[] | undefined, bytes: Buffer): Encoding | null =>
  bytes.length < WORTH_PACKING ? null : preferredEncoding(acceptEncoding, ENCODINGS);

/** Compresses a body as Accept-Encoding allows. The response depends on that header: set `Vary`. */
export async function compress(acceptEncoding: string | string[] | undefined, bytes: Buffer): Promise<Compressed> {
  const encoding = packingOf(acceptEncoding, bytes);
  return encoding === null ? { bytes, encoding } : { bytes: await packers[encoding](bytes), encoding };
}

/** A compression stream for a body of unknown length, and its encoding; null when Accept-Encoding allows none. */
export function packing(
  acceptEncoding: string | string[] | undefined,
): { encoding: Encoding; stream: Transform } | null {
  const encoding = preferredEncoding(acceptEncoding, ENCODINGS);
  if (encoding === null) return null;
  return { encoding, stream: encoding === 'br' ? createBrotliCompress(brotli()) : createGzip() };
}
