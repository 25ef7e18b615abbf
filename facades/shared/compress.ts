/** Bodies made smaller on the way, off this thread, for clients that can unpack them. */
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { type BrotliOptions, brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { preferredEncoding } from './negotiation.ts';

/** Bytes below which packing saves nothing: the answer is one packet either way. */
const WORTH_PACKING = 1_400;
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Of qualities 0–11: beyond 4 an answer takes longer to pack than to send. */
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
  /** Null: as it was. */
  readonly encoding: Encoding | null;
}

/** How `compress` would pack a body, told without packing it; null: not at all. */
export const packingOf = (acceptEncoding: string | string[] | undefined, bytes: Buffer): Encoding | null =>
  bytes.length < WORTH_PACKING ? null : preferredEncoding(acceptEncoding, ENCODINGS);

/** A body as small as the client's Accept-Encoding allows. Answers that are packed differ by that header: say `Vary`. */
export async function compress(acceptEncoding: string | string[] | undefined, bytes: Buffer): Promise<Compressed> {
  const encoding = packingOf(acceptEncoding, bytes);
  return encoding === null ? { bytes, encoding } : { bytes: await packers[encoding](bytes), encoding };
}

/** What packs a body of unknown length as it goes, and how; null where the client's Accept-Encoding allows none. */
export function packing(
  acceptEncoding: string | string[] | undefined,
): { encoding: Encoding; stream: Transform } | null {
  const encoding = preferredEncoding(acceptEncoding, ENCODINGS);
  if (encoding === null) return null;
  return { encoding, stream: encoding === 'br' ? createBrotliCompress(brotli()) : createGzip() };
}
