/** Limits the table records of an operation, because the server holds them in memory and many fields can return them. */
import { type Call, withRequest } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';

/** Maximum bytes that are read, and that are sent: as many as one field can have (datastore/rows/search.plan.ts). */
const MAX_BYTES = 64 * 1024 * 1024;

function budget(): (bytes: number) => void {
  let left = MAX_BYTES;
  return (bytes) => {
    left -= bytes;
    if (left < 0)
      throw new CatalogError(
        'LIMIT',
        `The table records of the answer are longer than ${MAX_BYTES} bytes: ask for fewer rows or fields, or in several requests`,
      );
  };
}

/** The call with a budget for the records of one run of an operation, or for the events that a stream reads at a time. */
export const withRecordsBudget = (call: Call): Call =>
  withRequest(call, { records: { read: budget(), send: budget() } });
