/** Bodies made smaller on the way, off this thread, for clients that can unpack them. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { preferredEncoding } from './negotiation.ts';

/** Bytes below which packing saves nothing: the answer is one packet either way. */
export const WORTH_PACKING = 1_400;
/** Of 0–11: beyond it an answer takes longer to pack than to send. */
const BROTLI_QUALITY = 4;
const ENCODINGS = ['br', 'gzip'] as const;

const packers: Readonly<Record<(typeof ENCODINGS)[number], (bytes: Buffer) => Promise<Buffer>>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes),
};

export interface Compressed {
  readonly bytes: Buffer;
  /** Null: as it was. */
  readonly encoding: (typeof ENCODINGS)[number] | null;
}

/** A body as small as the client's Accept-Encoding allows. Answers that are packed differ by that header: say `Vary`. */
export async function compress(acceptEncoding: string | string[] | undefined, bytes: Buffer): Promise<Compressed> {
  const encoding = bytes.length < WORTH_PACKING ? null : preferredEncoding(acceptEncoding, ENCODINGS);
  return encoding === null ? { bytes, encoding } : { bytes: await packers[encoding](bytes), encoding };
}
