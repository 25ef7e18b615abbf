/** Pages of resources: of one dataset, from its document, and across datasets. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import { CatalogError, invalid } from '../../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../../kernel/keyset.sql.ts';
import { datasetShow, datasetsByIds } from '../dataset/dataset.service.ts';
import type { DatasetRecord, ResourceRecord } from '../document/record.ts';
import {
  countResources,
  type ListedResource,
  pageOfResources,
  RESOURCE_FIELDS,
  type ResourceChoice,
} from './pages.sql.ts';

export type ResourcePage = Connection<ResourceRecord>;

/** A page of the resources of a loaded dataset, by position. @throws CatalogError LIMIT, VALIDATION (cursor) */
export function resourceConnection(call: Call, dataset: DatasetRecord, args: PageArgs): ResourcePage {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  return connection(
    read(dataset.resources, page),
    page,
    ({ position }) => [position],
    async () => dataset.body.resources.length,
  );
}

/** One more than the page's limit, in reading order. */
function read(resources: readonly ResourceRecord[], { limit, backward, from }: Keyset): ResourceRecord[] {
  const all = backward ? resources.toReversed() : resources;
  const rest =
    from === null ? all : all.filter(({ position }) => position > Number(from[0]) !== backward && position !== from[0]);
  return rest.slice(0, limit + 1);
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };
interface ResourcesArgs extends PageArgs {
  readonly where?: Nullable<ResourceChoice> | null;
  readonly orderBy?: Parameters<typeof orderIn<keyof typeof RESOURCE_FIELDS>>[1];
}

/** A page of resources of active public datasets, or of one dataset. @throws CatalogError LIMIT, VALIDATION */
export async function resourcesPage(
  call: Call,
  { where: conditions, orderBy, ...args }: ResourcesArgs,
): Promise<ResourcePage> {
  const order = orderIn(RESOURCE_FIELDS, orderBy, 'CREATED');
  const page = keyset(args, shapeOf(keysIn(RESOURCE_FIELDS, order)), call.settings['catalog.limits.rows'], order);
  const where = await chosen(call, conditions ?? {});
  const timeout = { seconds: call.settings['search.timeout'], setting: 'search.timeout' };
  const listed = await pageOfResources(call.sql, where, order, page, timeout);
  return listedResources(call, listed, page, () => countResources(call.sql, where, timeout));
}

/** The page of a list over several datasets, with the resources from their documents. */
export async function listedResources(
  call: Call,
  listed: readonly ListedResource[],
  page: Keyset,
  count: () => Promise<number>,
): Promise<ResourcePage> {
  const datasets = await datasetsByIds(call, [...new Set(listed.map(({ datasetId }) => datasetId))]);
  const resources = new Map(datasets.flatMap((dataset) => dataset?.resources ?? []).map((one) => [one.id, one]));
  const found = connection(listed, page, ({ key }) => key, count);
  // Resources removed since the list was read are omitted; the page's ends stay the same.
  const recordOf = ({ id }: { id: string }) => resources.get(id) ?? [];
  return {
    ...found,
    nodes: found.nodes.flatMap(recordOf),
    edges: found.edges.flatMap(({ cursor, node }) =>
      [recordOf(node)].flat().map((record) => ({ cursor, node: record })),
    ),
  };
}

/** The conditions without nulls. @throws CatalogError VALIDATION for a dataset that is missing or hidden from the caller */
async function chosen(call: Call, conditions: Nullable<ResourceChoice>): Promise<ResourceChoice> {
  const where = Object.fromEntries(Object.entries(conditions).filter(([, value]) => value != null)) as ResourceChoice;
  if (where.dataset === undefined) return where;
  const dataset = await datasetShow(call, where.dataset).catch((thrown: unknown) => {
    if (thrown instanceof CatalogError && ['NOT_FOUND', 'NOT_AUTHORIZED'].includes(thrown.kind)) return null;
    throw thrown;
  });
  if (!dataset) throw invalid([{ path: ['where', 'dataset'], message: 'Not found: Dataset' }]);
  return { ...where, dataset: dataset.id };
}
