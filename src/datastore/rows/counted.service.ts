/** Counts records where an answer has them: every alias of a field sends them once more. */
import type { Call } from '../../kernel/call.ts';
import { JsonText } from '../../kernel/json.ts';

/** The records. `size`: their bytes, if they are not serialized. @throws CatalogError LIMIT when the answer has too many */
export function counted<Records>(
  { request: { spend } }: Call,
  records: Records,
  size = spend ? sizeOf(records) : 0,
): Records {
  spend?.(size);
  return records;
}

function sizeOf(records: unknown): number {
  if (records instanceof JsonText) return records.size;
  if (Array.isArray(records)) return records.reduce((sum, record) => sum + sizeOf(record), 0);
  return typeof records === 'string' ? Buffer.byteLength(records) : 0;
}
