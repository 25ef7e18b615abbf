import type { AutoIndex } from '../datastore/indexes/indexes.sql.ts';
import { indexesReport } from '../datastore/indexes/keep.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';
import { readArgs } from './options.ts';
import { printRows } from './print.ts';

const stateOf = ({ isValid, isInProgress }: AutoIndex, isDue: boolean): string => {
  if (isInProgress) return 'being made';
  if (!isValid) return 'invalid';
  return isDue ? 'to drop' : 'kept';
};

/** `catalog datastore indexes`: prints the automatic indexes of tables, and the changes that are due. Invalid ones are dropped. */
export const command: Command = async (args, context) => {
  const { values } = readArgs('datastore indexes', args);
  const { keep, drop, make } = await withCatalog(context, ({ app }) => indexesReport(app.callAs(operator)));
  const rows = [
    ...[...keep, ...drop].map((index) => ({
      state: stateOf(index, drop.includes(index)),
      table: index.table,
      fields: index.columns.join(', '),
      reason: index.reason,
      created: index.createdAt ?? '',
      bytes: String(index.size),
      scans: String(index.scans),
    })),
    ...make.map(({ table, columns, reason }) => ({
      state: 'to make',
      table,
      fields: columns
        .slice(0, -1)
        .map((key) => key.join(' ').trim())
        .join(', '),
      reason,
      created: '',
      bytes: '',
      scans: '',
    })),
  ];
  printRows(rows, values.json, 'No automatic index.');
};
