import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { datastoreOf } from '../connected.ts';
import { type AutoIndex, listAutoIndexes } from '../indexes/indexes.sql.ts';
import { noteTable, type ReadableTable } from '../noted.ts';
import { findOwners } from './owner.sql.ts';
import { mayReadTable } from './table.policy.ts';
import { countRows, type IndexRecord, keyOf, listAliasesOf, listColumnsOf, listShapes } from './tables.sql.ts';

export const tableLoaders = (call: Call) => ({
  /** The table of a resource; null when it has none or the caller may not read it. */
  tableByResource: new DataLoader<string, ReadableTable | null>(async (ids) => {
    const owners = await findOwners(call.sql, ids);
    const readable = owners.filter((owner) => owner.active && mayReadTable(call.actor, owner, call.settings) === null);
    const names = readable.map(({ resourceId }) => resourceId);
    const tables = names.length === 0 ? null : await listColumnsOf(datastoreOf(call).sql, names);
    return ids.map((resourceId) => {
      const columns = tables?.get(resourceId);
      if (!columns) return null;
      const table = { resourceId, columns };
      noteTable(call, table);
      return table;
    });
  }),
  /** Aliases of a table, sorted. */
  aliasesByTable: new DataLoader<string, string[]>(async (tables) => {
    const aliases = await listAliasesOf(datastoreOf(call).sql, tables);
    return tables.map((table) => aliases.get(table) ?? []);
  }),
  /** Automatic indexes of a table by name, without those in the making. */
  autoIndexesByTable: new DataLoader<string, AutoIndex[]>(async (tables) => {
    const indexes = await listAutoIndexes(datastoreOf(call).sql, tables);
    return tables.map((table) => indexes.filter((index) => index.table === table && index.isValid));
  }),
  ...shapeLoaders(call),
});

interface Part {
  readonly of: 'indexes' | 'count';
  readonly table: string;
}

function shapeLoaders(call: Call) {
  /** Indexes and numbers of rows of tables, together. */
  const parts = new DataLoader<Part, IndexRecord[] | number, string>(
    async (requested) => {
      const { sql } = datastoreOf(call);
      const tablesOf = (part: Part['of']) => requested.filter(({ of }) => of === part).map(({ table }) => table);
      const { indexes, counts } = await listShapes(sql, tablesOf('indexes'), tablesOf('count'));
      return Promise.all(
        requested.map(({ of, table }) =>
          of === 'indexes'
            ? indexes.filter((index) => index.table === table)
            : (counts.get(table) ?? countRows(sql, table)),
        ),
      );
    },
    { cacheKeyFn: ({ of, table }) => `${of} ${table}` },
  );
  const indexesByTable = {
    /** Indexes of a table by name, except the default ones. */
    load: (table: string) => parts.load({ of: 'indexes', table }) as Promise<IndexRecord[]>,
  };
  return {
    indexesByTable,
    /** Columns of the update key; empty when the table has none. */
    keyByTable: { load: async (table: string): Promise<string[]> => keyOf(await indexesByTable.load(table)) },
    /** Number of rows of a table. */
    rowCountByTable: { load: (table: string) => parts.load({ of: 'count', table }) as Promise<number> },
  };
}
