/** Reads one record of a table. */
import { PagePreviewRecordsDocument } from '../../../../src/generated/operations.ts';
import { notFound } from '../../../../src/kernel/errors.ts';
import type { Visit } from '../visit.ts';
import type { PreviewRecord } from './at.ts';
import { recordsOf } from './table.ts';
import { maxValue } from './table-limits.ts';

/** Numbers of records are of the type int4. */
const MAX_ID = 2 ** 31 - 1;

/** The record with this `_id`. Values of tables with many columns are cut earlier. @throws CatalogError NOT_FOUND */
export async function findRecord(
  { run, call }: Visit,
  id: string,
  record: string,
  columns: number,
): Promise<PreviewRecord> {
  if (!/^\d{1,10}$/.test(record) || Number(record) > MAX_ID) throw notFound('no such record.');
  const variables = {
    id,
    filter: [{ field: '_id', eq: record }],
    maxLength: maxValue(columns) + 1,
    first: 1,
    withTotal: false,
  };
  const { table } = await run(PagePreviewRecordsDocument, variables, call);
  const [found] = recordsOf(table.records.nodes);
  if (!found) throw notFound('no such record.');
  return found;
}
