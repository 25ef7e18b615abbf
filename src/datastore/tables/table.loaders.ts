import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { datastoreOf } from '../connected.ts';
import type { Column } from './fields.rules.ts';
import { findOwners } from './owner.sql.ts';
import { mayReadTable } from './table.policy.ts';
import { findKeys, listAliasesOf, listColumnsOf } from './tables.sql.ts';

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
  /** Other names of a table, sorted. */
  aliasesByTable: new DataLoader<string, string[]>(async (tables) => {
    const aliases = await listAliasesOf(datastoreOf(call).sql, tables);
    return tables.map((table) => aliases.get(table) ?? []);
  }),
  /** Columns by which records of a table are updated; empty when there is no such key. */
  keyByTable: new DataLoader<string, string[]>(async (tables) => {
    const keys = await findKeys(datastoreOf(call).sql, tables);
    return tables.map((table) => keys.get(table) ?? []);
  }),
});
