/** `catalog trash list` and `catalog trash purge`: deleted objects, through the graph. Each purge is a transaction of its own. */
import {
  CommandPurgeDatasetDocument,
  CommandPurgeGroupDocument,
  CommandPurgeOrganizationDocument,
  CommandTrashDatasetsDocument,
  CommandTrashGroupsDocument,
  CommandTrashOrganizationsDocument,
} from '../generated/operations.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { confirm } from './confirm.ts';
import { upTo } from './every.ts';
import { choiceOf, limitOf, readArgs } from './options.ts';
import { printRows } from './print.ts';

const TYPES = ['datasets', 'organizations', 'groups'] as const;
type Type = (typeof TYPES)[number];

interface Deleted {
  readonly databaseId: string;
  readonly name: string;
  readonly title?: string | null | undefined;
}

const trashOf = ({ app }: Catalog, type: Type, limit: number): Promise<Deleted[]> =>
  upTo<Deleted>(limit, async (page) => {
    const call = app.callAs(operator);
    if (type === 'datasets') return (await app.run(CommandTrashDatasetsDocument, page, call)).datasets;
    if (type === 'groups') return (await app.run(CommandTrashGroupsDocument, page, call)).groups;
    return (await app.run(CommandTrashOrganizationsDocument, page, call)).organizations;
  });

async function purge({ app }: Catalog, type: Type, id: string): Promise<void> {
  const call = app.callAs(operator);
  if (type === 'datasets') await app.run(CommandPurgeDatasetDocument, { input: { dataset: id } }, call);
  if (type === 'groups') await app.run(CommandPurgeGroupDocument, { input: { group: id } }, call);
  if (type === 'organizations') await app.run(CommandPurgeOrganizationDocument, { input: { organization: id } }, call);
}

export const list: Command = async (args, context) => {
  const { values } = readArgs('trash list', args);
  const limit = limitOf(values.limit);
  const rows = await withCatalog(context, async (catalog) => {
    const found = [];
    for (const type of TYPES)
      for (const { databaseId, name, title } of await trashOf(catalog, type, limit - found.length))
        found.push({ type, name, title: title ?? null, id: databaseId });
    return found;
  });
  printRows(rows, values.json, 'The trash is empty.');
};

export const empty: Command = async (args, context) => {
  const { values, words } = readArgs('trash purge', args);
  const type = choiceOf('type', values.type, TYPES);
  if (words.length > 0 && type === null) throw new UsageError(`Names require --type: ${TYPES.join(', ')}.`);
  const what = words.length > 0 ? words.join(', ') : `all deleted ${type ?? 'objects'}`;
  await confirm(`This removes ${what} permanently, with their history.`, 'purge', values.yes);
  const purged = await withCatalog(context, async (catalog) => {
    let count = 0;
    for (const each of type === null ? TYPES : [type])
      for (const { databaseId } of await chosen(catalog, each, words)) {
        await purge(catalog, each, databaseId);
        count += 1;
      }
    return count;
  });
  console.log(`${purged} purged.`);
};

/** Deleted objects: all of a type, or the named ones. @throws CommandFailure before anything is purged if a name is not in the trash */
async function chosen(catalog: Catalog, type: Type, names: readonly string[]): Promise<Deleted[]> {
  const trash = await trashOf(catalog, type, Number.POSITIVE_INFINITY);
  if (names.length === 0) return trash;
  return names.map((name) => {
    const found = trash.find((it) => it.name === name || it.databaseId === name);
    if (!found) throw new CommandFailure(`${name} is not among the deleted ${type}. Nothing was purged.`);
    return found;
  });
}
