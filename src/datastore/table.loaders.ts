import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import type { ReadableTable } from './access.service.ts';
import { readableTables } from './access.service.ts';

export const tableLoaders = (call: Call) => ({
  /** The table of a resource; null where it has none, or none that may be read. */
  tableByResource: new DataLoader<string, ReadableTable | null>(async (ids) => {
    const tables = await readableTables(call, ids);
    return ids.map((id) => tables.get(id) ?? null);
  }),
});
