/** Reads the beginning of a stored file as text. */
import iconv from 'iconv-lite';
import type { Call } from '../../kernel/call.ts';
import { invalidField } from '../../kernel/errors.ts';
import { encodingOf } from '../../loading/read/encoding.ts';
import type { FileRecord } from './file.store.ts';

const DEFAULT_BYTES = 64 * 1024;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes by which the encoding is detected. */
const SAMPLE = 64 * 1024;

/** Null for missing bytes and binary files. @throws CatalogError VALIDATION, UNAVAILABLE */
export async function fileText(
  call: Call,
  { key, size }: FileRecord,
  maxBytes: number | null | undefined,
): Promise<{ text: string; isComplete: boolean } | null> {
  const limit = maxBytes ?? DEFAULT_BYTES;
  if (limit < 1 || limit > MAX_BYTES)
    throw invalidField('maxBytes', `Must be between 1 and ${MAX_BYTES} (got ${limit})`);
  if (size === 0) return { text: '', isComplete: true };
  const isComplete = size <= limit;
  const stream = await call.stores.blobs.open(key, { start: 0, end: Math.min(size, limit) - 1 });
  if (!stream) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const sample = bytes.subarray(0, SAMPLE);
  const text = iconv.decode(bytes, encodingOf(sample, isComplete && bytes.length <= SAMPLE)); // without a byte order mark
  return text.includes('\0') ? null : { text: isComplete ? text : text.replace(/\ufffd$/, ''), isComplete };
}
