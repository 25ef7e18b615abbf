import type { Resolvers } from '../../generated/graph.ts';
import type { Call } from '../../kernel/call.ts';
import { connectionResolvers } from '../../kernel/connection.ts';
import { orNull } from '../../kernel/errors.ts';
import { created } from '../../kernel/idempotency.ts';
import { asId } from '../../kernel/ids.ts';
import { lookUp } from '../../kernel/look-up.ts';
import { payload } from '../../kernel/mutation.ts';
import { noteUse } from '../../kernel/usage.ts';
import { tableAggregate } from '../rows/aggregate.service.ts';
import { counted } from '../rows/counted.service.ts';
import { tableRecords } from '../rows/rows.service.ts';
import { sizeOf, type TableRecord, tableSearch, tableShow, versionOfTable } from '../rows/search.service.ts';
import { recordsDelete, recordsWrite, tableDelete, tableHide } from '../rows/write.service.ts';
import { statementRun } from '../statement/statement.service.ts';
import { tableCreate } from './create.service.ts';

const numbersAs = (exact: boolean | null | undefined) => (exact ? 'number' : 'text');

/** A table has the id of its resource. */
const withId = (table: TableRecord) => ({ ...table, id: table.resourceId });
const tableMade = async (...args: Parameters<typeof tableCreate>) => withId(await tableCreate(...args));
const tablesByIds = (call: Call, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const table = await orNull(tableShow(call, id));
      return table && withId(table);
    }),
  );

/** Notes the read of a table for the usage numbers. */
async function notedTable<Found extends { readonly resourceId: string }>(
  call: Parameters<typeof noteUse>[0],
  found: Promise<Found>,
): Promise<Found> {
  const it = await found;
  noteUse(call, { kind: 'read', of: 'resource', id: it.resourceId });
  return it;
}

interface Page {
  readonly size: number;
}

/** A page of records or groups. */
const countedPage = {
  ...connectionResolvers,
  nodes: <Nodes>({ nodes, size }: Page & { nodes: Nodes }, _args: object, { call }: { call: Call }) =>
    counted(call, nodes, size),
  edges: <Edges>({ edges, size }: Page & { edges: Edges }, _args: object, { call }: { call: Call }) =>
    counted(call, edges, size),
};

export const tableResolvers: Resolvers = {
  Query: {
    table: (_root, { id, alias, databaseId }, { call, caller }) =>
      caller === 'facade'
        ? tableShow(call, id)
        : notedTable(
            call,
            lookUp({ id, alias, databaseId }, (by) => tableShow(call, by)),
          ),
    tableQuery: (_root, { sql, exactNumbers, maxRows }, { call }) =>
      statementRun(call, sql, numbersAs(exactNumbers), maxRows),
    tableSearch: (_root, { input, exactNumbers }, { call }) =>
      notedTable(call, tableSearch(call, input, numbersAs(exactNumbers))),
  },
  Mutation: {
    createTable: created('createTable', 'table', tableMade, tablesByIds),
    writeRecords: payload('count', (call, { input }) => recordsWrite(call, input)),
    deleteRecords: payload('count', (call, { input }) => recordsDelete(call, input)),
    deleteTable: payload('deletedId', (call, { input }) => asId('Resource', tableDelete(call, input))),
    setTableVisibility: payload('table', (call, { input }) => tableHide(call, input)),
  },
  Resource: {
    table: (resource, _args, { loaders }) => loaders.tableByResource.load(resource.id),
  },
  Table: {
    records: (table, args, { call }) => tableRecords(call, table, args),
    aggregate: (table, args, { call }) => tableAggregate(call, table, args),
    fields: (table) => [...table.columns],
    aliases: (table, _args, { loaders }) => loaders.aliasesByTable.load(table.resourceId),
    primaryKey: (table, _args, { loaders }) => loaders.keyByTable.load(table.resourceId),
    indexes: async (table, _args, { loaders }) =>
      (await loaders.indexesByTable.load(table.resourceId)).map(({ columns }) => columns),
    autoIndexes: (table, _args, { loaders }) => loaders.autoIndexesByTable.load(table.resourceId),
    size: (table, _args, { call }) => sizeOf(call, table),
    version: (table) => versionOfTable(table),
  },
  TableAutoIndex: { fields: ({ columns }) => [...columns], included: ({ included }) => [...included] },
  TableGroupConnection: countedPage,
  TableQueryResult: {
    fields: (found) => [...found.fields],
    records: ({ records }, _args, { call }) => counted(call, records),
  },
  TableRecordConnection: countedPage,
  TableSearchResult: {
    fields: (found) => [...found.fields],
    records: ({ records }, _args, { call }) => counted(call, records),
  },
  TableSize: {
    count: ({ resourceId }, _args, { loaders }) => loaders.rowCountByTable.load(resourceId),
    size: async (size) => (await size.disk()).size,
    indexSize: async (size) => (await size.disk()).indexSize,
  },
};
