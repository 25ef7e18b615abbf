/** Limits the table records of an answer, because the server holds them in memory and they can occur in many fields. */
import { type Call, withRequest } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';

/** Maximum bytes: as many as one field can have (datastore/rows/search.plan.ts). */
const MAX_BYTES = 64 * 1024 * 1024;

/** The call with a budget for the table records of one answer, or of the events that a stream reads at a time. */
export function withRecordsBudget(call: Call): Call {
  let left = MAX_BYTES;
  const spend = (bytes: number) => {
    left -= bytes;
    if (left < 0)
      throw new CatalogError(
        'LIMIT',
        `The table records of the answer are longer than ${MAX_BYTES} bytes: ask for fewer rows or fields, or in several requests`,
      );
  };
  return withRequest(call, { spend });
}
