/** `catalog demo` and `npm run demo`: fills an empty catalog with the data of the folder `demo`. */
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  CommandDemoCountsDocument,
  CommandDemoFileDocument,
  CommandDemoOrderDocument,
  CommandDemoTableDocument,
  CommandDemoViewDocument,
} from '../generated/operations.ts';
import type { Call } from '../kernel/call.ts';
import { projectRoot } from '../kernel/root.ts';
import { createRecord, type Dictionary, type RecordRunner } from '../records/gateway.ts';
import { type Catalog, operatorRunner, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';

const FOLDER = join(projectRoot, 'demo');

interface Column {
  readonly type: string;
  readonly label?: string;
  readonly notes?: string;
}

/** A resource is a table or a file. */
interface DemoResource {
  readonly name: string;
  readonly description?: string;
  readonly format?: string;
  /** File of the folder `tables`, without its extension. */
  readonly table?: string;
  readonly columns?: Readonly<Record<string, Column>>;
  /** File of the folder `files`. */
  readonly file?: string;
  readonly views?: readonly (Dictionary & { readonly title: string; readonly view_type: string })[];
}

type DemoDataset = Dictionary & {
  readonly groups: readonly string[];
  readonly tags: readonly string[];
  readonly resources: readonly DemoResource[];
};

/** The file `demo/catalog.yaml`. */
interface Demo {
  readonly organizations: readonly Dictionary[];
  readonly groups: readonly Dictionary[];
  readonly datasets: readonly DemoDataset[];
}

export const command: Command = async (args, context) => {
  if (args.length > 0) throw new UsageError();
  const { datasets, siteUrl } = await withCatalog(context, async (catalog) => ({
    datasets: await fillWithDemo(catalog),
    siteUrl: catalog.settings['catalog.site_url'],
  }));
  console.log(
    `The catalog has ${datasets} datasets now. Start it with npm start, if it does not run, and open ${siteUrl}`,
  );
};

export const readDemo = (): Demo => parse(readFileSync(join(FOLDER, 'catalog.yaml'), 'utf8')) as Demo;

/** Writes the demo. Returns the number of its datasets. @throws CommandFailure if the catalog is not empty */
export async function fillWithDemo({ app, settings }: Pick<Catalog, 'app' | 'settings'>): Promise<number> {
  if (!settings['catalog.plugins'].includes('datastore'))
    throw new CommandFailure('The demo has tables. Add datastore to the setting catalog.plugins.');
  const runner = operatorRunner(app);
  await requireEmpty(runner);
  const { organizations, groups, datasets } = readDemo();
  for (const organization of organizations) await createRecord(runner, 'organization', organization);
  for (const group of groups) await createRecord(runner, 'group', group);
  for (const { resources, ...dataset } of datasets) {
    const id = await createRecord(runner, 'dataset', {
      ...dataset,
      tags: dataset.tags.map((name) => ({ name })),
      groups: dataset.groups.map((name) => ({ name })),
    });
    for (const resource of resources) {
      const resourceId = await (resource.table ? addTable : addFile)(runner, id, resource);
      await addViews(runner, resourceId, resource.views ?? []);
    }
  }
  return datasets.length;
}

async function requireEmpty({ run, call }: RecordRunner): Promise<void> {
  const { datasets, organizations, groups } = await run(CommandDemoCountsDocument, {}, call());
  const counts = {
    datasets: datasets.totalCount,
    organizations: organizations.totalCount,
    groups: groups.totalCount,
  };
  if (Object.values(counts).every((count) => count === 0)) return;
  const found = Object.entries(counts).map(([word, count]) => `${count} ${word}`);
  throw new CommandFailure(
    `The demo needs an empty catalog. This one has ${found.join(', ')}. Nothing was written. To fill another catalog, set CATALOG_HOME to an empty folder.`,
  );
}

async function addTable({ run, call }: RecordRunner, dataset: string, resource: DemoResource): Promise<string> {
  const { name, description = '', table, columns = {} } = resource;
  const [head, ...rows] = readCsv(readFileSync(join(FOLDER, 'tables', `${table}.csv`), 'utf8'));
  const input = {
    dataset,
    resource: { name, description, format: 'CSV' },
    fields: Object.entries(columns).map(([id, { type, ...info }]) => ({ id, type, info })),
    records: rows.map((row) => Object.fromEntries(head!.map((id, index) => [id, row[index] || null]))),
    calculateRecordCount: true,
  };
  return (await run(CommandDemoTableDocument, { input }, call())).createTable.table!.resourceId;
}

async function addFile({ run, call }: RecordRunner, dataset: string, resource: DemoResource): Promise<string> {
  const { name, description = '', format = '', file = '' } = resource;
  const context = call();
  const { blobs } = context.stores;
  const token = await blobs.receive(createReadStream(join(FOLDER, 'files', file)));
  try {
    const input = { dataset, resource: { name, description, format }, upload: { token, name: file } };
    return (await run(CommandDemoFileDocument, { input }, context)).createResource.resource!.databaseId;
  } finally {
    await blobs.discard(token); // does nothing if the resource has stored it
  }
}

function withType(call: Call, viewType: string): Call {
  const plugins = [...call.settings['catalog.plugins'], viewType];
  return { ...call, settings: { ...call.settings, 'catalog.plugins': plugins } };
}

/** Puts the views before those that the resource gets automatically. Adds types that the catalog does not enable, too: pages show them. */
async function addViews(
  { run, call }: RecordRunner,
  resourceId: string,
  views: NonNullable<DemoResource['views']>,
): Promise<void> {
  const order: string[] = [];
  for (const { title, view_type: viewType, ...fields } of views) {
    const input = { resourceId, viewType, title, fields };
    order.push(
      (await run(CommandDemoViewDocument, { input }, withType(call(), viewType))).createResourceView.view!.databaseId,
    );
  }
  if (order.length > 0) await run(CommandDemoOrderDocument, { input: { resourceId, order } }, call());
}

/** Lines of comma-separated values. Values in quotes may contain commas, and quotes written twice. */
export const readCsv = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) =>
      [...`${line},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
