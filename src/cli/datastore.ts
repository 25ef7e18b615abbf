/** `catalog datastore check|sweep|indexes`: tables of the DataStore, compared with the catalog, and their automatic indexes. */
import type { AutoIndex } from '../datastore/indexes/indexes.sql.ts';
import { indexesReport } from '../datastore/indexes/keep.service.ts';
import { type TablesReport, tablesCheck, tablesSweep } from '../datastore/tables/sweep.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { readArgs } from './options.ts';
import { printRows } from './print.ts';

/**
 * Runs a check or sweep of tables. Prints a line per resource whose table is missing or was not copied from its source, and per table
 * without a resource.
 */
async function report(context: CommandContext, run: typeof tablesCheck): Promise<TablesReport> {
  const found = await withCatalog(context, ({ app }) => run(app.callAs(operator)));
  for (const id of found.missing) console.log(`missing: the table of resource ${id}`);
  for (const { resourceId, message } of found.elsewhere)
    console.log(`not copied: the table of resource ${resourceId}: ${message}`);
  for (const name of found.orphans) console.log(`no resource: ${name}`);
  return found;
}

/** `catalog datastore check`: fails if a table is missing, was not copied from its source, or has no resource. */
export const check: Command = async (_args, context) => {
  const { missing, orphans, elsewhere, named, stored } = await report(context, tablesCheck);
  if (missing.length + orphans.length > 0)
    throw new CommandFailure(
      `${missing.length} of ${named} tables are missing; ${orphans.length} of ${stored} DataStore tables have no resource. To drop them, run: catalog datastore sweep`,
    );
  if (elsewhere.length > 0)
    throw new CommandFailure(`${elsewhere.length} tables were not copied from the catalogs of their resources.`);
  console.log(`${named} tables are present. There are no others.`);
};

/** `catalog datastore sweep`: drops tables without a resource. */
export const sweep: Command = async (_args, context) => {
  const { missing, orphans, named } = await report(context, tablesSweep);
  console.log(`${orphans.length} tables without a resource dropped.`);
  if (missing.length > 0) throw new CommandFailure(`${missing.length} of ${named} tables are missing.`);
};

const stateOf = ({ isValid, isInProgress }: AutoIndex, isDue: boolean): string => {
  if (isInProgress) return 'being made';
  if (!isValid) return 'invalid';
  return isDue ? 'to drop' : 'kept';
};

/** `catalog datastore indexes`: prints the automatic indexes of tables, and the changes that are due. Invalid ones are dropped. */
export const indexes: Command = async (args, context) => {
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
