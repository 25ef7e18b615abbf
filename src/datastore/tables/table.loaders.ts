import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { datastoreOf } from '../connected.ts';
import type { Column } from './fields.rules.ts';
import { findOwners } from './owner.sql.ts';
import { mayReadTable } from './table.policy.ts';
import { type IndexRecord, keyOf, listAliasesOf, listColumnsOf, listIndexes } from './tables.sql.ts';

interface OwnTable {
  readonly resourceId: string;
  readonly columns: readonly Column[];
}

export const tableLoaders = (call: Call) => ({
  /** The table of a resource; null when it has none or the caller may not read it. */
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
  /** Aliases of a table, sorted. */
  aliasesByTable: new DataLoader<string, string[]>(async (tables) => {
    const aliases = await listAliasesOf(datastoreOf(call).sql, tables);
    return tables.map((table) => aliases.get(table) ?? []);
  }),
  ...indexLoaders(call),
});

function indexLoaders(call: Call) {
  /** Indexes of a table by name, except the default ones. */
  const indexesByTable = new DataLoader<string, IndexRecord[]>(async (tables) => {
    const indexes = await listIndexes(datastoreOf(call).sql, tables);
    return tables.map((table) => indexes.filter((index) => index.table === table));
  });
  /** Columns of the update key; empty when the table has none. */
  const load = async (table: string): Promise<string[]> => keyOf(await indexesByTable.load(table));
  return { indexesByTable, keyByTable: { load } };
}
