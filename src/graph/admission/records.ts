/** Limits the table records of an operation, because the server holds them in memory and many fields can return them. */
import { type Call, withRequest } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';

/** Maximum bytes that are read, and that are sent: as many as one field can have (datastore/rows/search.plan.ts). */
const MAX_BYTES = 64 * 1024 * 1024;

const tooMany = (): CatalogError =>
  new CatalogError(
    'LIMIT',
    `The table records of this operation are longer than ${MAX_BYTES} bytes: ask for fewer rows or fields, or in several requests`,
  );

function budget() {
  let left = MAX_BYTES;
  let isExceeded = false;
  return {
    check() {
      if (isExceeded) throw tooMany();
    },
    take(bytes: number) {
      left -= bytes;
      if (left >= 0 || bytes <= 0) return; // who gives bytes back has another error to report
      isExceeded = true;
      throw tooMany();
    },
  };
}

/** The call with a budget for the records of one run of an operation, or for the events that a stream reads at a time. */
export function withRecordsBudget(call: Call): Call {
  const [read, sent] = [budget(), budget()];
  return withRequest(call, { records: { begin: read.check, read: read.take, send: sent.take } });
}
