/** Lists of datasets, filtered and sorted as requested, within what the caller may read. */
import type { Call } from '../../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../../kernel/connection.ts';
import { CatalogError, invalid } from '../../../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../../../kernel/keyset.sql.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { groupShow } from '../../group/group.service.ts';
import { DATASET_FIELDS, type DatasetChoice, type DatasetList, keyOf, type Listed } from './lists.sql.ts';

/** The datasets of an object, before a caller's conditions. */
type Datasets = Pick<DatasetList, 'of' | 'id' | 'shows'>;

/** All active public datasets. */
export const everyDataset: Datasets = { of: 'all', id: '', shows: 'public' };

/** A user's datasets visible to the caller. Only the user and sysadmins see drafts and private ones. */
export const datasetsOfUser = ({ actor }: Call, id: string): Datasets => ({
  of: 'user',
  id,
  shows: actor.sysadmin || actor.userId === id ? 'own' : 'public',
});

/** An organization's datasets visible to the caller. Only its members and sysadmins see private ones. */
export const datasetsOfOrganization = ({ actor }: Call, id: string): Datasets => ({
  of: 'organization',
  id,
  shows: actor.sysadmin || actor.capacities.has(id) ? 'active' : 'public',
});

/** Active public datasets of a group or with a tag. */
export const datasetsOf = (of: 'group' | 'tag', id: string): Datasets => ({ of, id, shows: 'public' });

/** Contract: groups and organizations show at most 1,000 datasets, independent of the page limit. */
const LISTED = 1000;

/** The request's loaders: lists of many parents cost one statement. */
interface Loaders {
  datasetPages: { load(list: DatasetList & { page: Keyset }): Promise<Listed[]> };
  datasetCounts: { load(list: DatasetList): Promise<number> };
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };
export interface DatasetsArgs extends PageArgs {
  readonly where?: Nullable<DatasetChoice> | null;
  readonly orderBy?: Parameters<typeof orderIn<keyof typeof DATASET_FIELDS>>[1];
}

/** A page of a list of datasets. @throws CatalogError VALIDATION, LIMIT */
export async function datasetConnection(
  call: Call,
  loaders: Loaders,
  datasets: Datasets,
  args: DatasetsArgs,
): Promise<Connection<DatasetRecord>> {
  const order = orderIn(DATASET_FIELDS, args.orderBy, 'MODIFIED');
  const page = keyset(
    args,
    shapeOf(keysIn(DATASET_FIELDS, order)),
    Math.max(LISTED, call.settings['catalog.limits.rows']),
    order,
  );
  const where = args.where ? await chosen(call, args.where) : ANY;
  const { of, id, shows } = datasets;
  const list: DatasetList = { of, id, shows: asksForHidden(where) ? 'readable' : shows, where, order };
  const listed = await loaders.datasetPages.load({ of, id, shows: list.shows, where, order, page });
  let keys: Map<DatasetRecord, Listed> | undefined;
  return connection(
    listed.map(({ record }) => record),
    page,
    (record) => keyOf((keys ??= new Map(listed.map((one) => [one.record, one]))).get(record)!, order),
    () => loaders.datasetCounts.load(list),
  );
}

/** No conditions. */
const ANY: DatasetChoice = {};

/** With a condition on state or privacy, a list shows every dataset that matches and that the caller may read. */
const asksForHidden = ({ states, private: isPrivate }: DatasetChoice): boolean =>
  states !== undefined || isPrivate !== undefined;

/** The conditions without nulls. @throws CatalogError VALIDATION for an unknown organization or group, or an empty list */
async function chosen(call: Call, conditions: Nullable<DatasetChoice>): Promise<DatasetChoice> {
  const given = Object.entries(conditions).filter(([, value]) => value != null);
  const where = Object.fromEntries(given) as DatasetChoice;
  if (where.states?.length === 0)
    throw invalid([{ path: ['where', 'states'], message: 'An empty list matches nothing. Omit it' }]);
  const [organization, group] = await Promise.all([
    idOfGroup(call, 'organization', where.organization),
    idOfGroup(call, 'group', where.group),
  ]);
  const states = where.states ?? (where.private === undefined ? undefined : ['active']);
  return { ...where, ...(organization && { organization }), ...(group && { group }), ...(states && { states }) };
}

/** @throws CatalogError VALIDATION if there is no such group, or the caller may not read it */
async function idOfGroup(call: Call, kind: 'organization' | 'group', id: string | undefined): Promise<string | null> {
  if (id === undefined) return null;
  const found = await groupShow(call, id, kind === 'organization').catch((thrown: unknown) => {
    if (thrown instanceof CatalogError && ['NOT_FOUND', 'NOT_AUTHORIZED'].includes(thrown.kind)) return null;
    throw thrown;
  });
  if (found) return found.id;
  throw invalid([{ path: ['where', kind], message: `Not found: ${kind === 'group' ? 'Group' : 'Organization'}` }]);
}
