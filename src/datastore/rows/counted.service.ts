/** Counts records where an answer has them: every alias of a field returns them once more. */
import type { Call } from '../../kernel/call.ts';
import { JsonText } from '../../kernel/json.ts';

/** The records. `size`: their bytes, if they are not serialized. @throws CatalogError LIMIT when the answer has too many */
export function counted<Records>(
  { request: { records: budget } }: Call,
  records: Records,
  size = budget ? sizeOfRecords(records) : 0,
): Records {
  budget?.send(size);
  return records;
}

/** Bytes of records, and of texts such as their keys. */
export function sizeOfRecords(records: unknown): number {
  if (records instanceof JsonText) return records.size;
  if (Array.isArray(records)) return records.reduce((sum, record) => sum + sizeOfRecords(record), 0);
  return typeof records === 'string' ? Buffer.byteLength(records) : 0;
}
