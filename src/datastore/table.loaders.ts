import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { datastoreOf } from './connected.ts';
import { listColumnsOf } from './datastore.store.ts';
import type { Column } from './fields.rules.ts';
import { findOwners } from './owner.store.ts';
import { mayReadTable } from './table.policy.ts';

interface OwnTable {
  readonly resourceId: string;
  readonly columns: readonly Column[];
}

export const tableLoaders = (call: Call) => ({
  /** The table of a resource; null where it has none, or none that may be read. */
  tableByResource: new DataLoader<string, OwnTable | null>(async (ids) => {
    const owners = await findOwners(call.sql, ids);
    const readable = owners.filter((owner) => owner.active && mayReadTable(call.actor, owner, call.settings) === null);
    const names = readable.map(({ resourceId }) => resourceId);
    const tables = names.length === 0 ? null : await listColumnsOf(datastoreOf(call).sql, names);
    return ids.map((resourceId) => {
      const columns = tables?.get(resourceId);
      return columns ? { resourceId, columns } : null;
    });
  }),
});
