/** Brings the verdicts of links into the index entries of datasets. */
import type { Call } from '../../kernel/call.ts';
import { writeLinkStatus } from './links.sql.ts';

/** Updates the entries of these datasets. Call it in a transaction, after the verdicts are written. */
export const indexLinkStatus = (call: Call, datasetIds: readonly string[]): Promise<void> =>
  writeLinkStatus(call.sql, datasetIds);
