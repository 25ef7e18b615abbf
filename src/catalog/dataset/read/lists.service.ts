/** Lists of datasets, filtered and sorted as requested, within what the caller may read. */
import type { Call } from '../../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../../kernel/connection.ts';
import { invalid } from '../../../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../../../kernel/keyset.sql.ts';
import { boundsOf, type CheckName, positionOf, type Rating } from '../../../quality/method.rules.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { chosenGroup } from '../../group/group.service.ts';
import { DATASET_FIELDS, type DatasetChoice, type DatasetList, keyOf, type Listed, MAX_POINTS } from './lists.sql.ts';

/** The datasets of an object, before a caller's conditions. */
export type Datasets = Pick<DatasetList, 'of' | 'id' | 'shows'>;

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
export const LISTED = 1000;

/** The request's loaders: lists of many parents cost one statement. */
export interface Loaders {
  datasetPages: { load(list: DatasetList & { page: Keyset }): Promise<Listed[]> };
  datasetCounts: { load(list: DatasetList): Promise<number> };
}

/** The conditions as requested. */
type Requested = Omit<DatasetChoice, 'quality'> & {
  readonly quality?: Omit<NonNullable<DatasetChoice['quality']>, 'missing' | 'unmet'> & {
    readonly missing?: CheckName | null;
    readonly unmet?: CheckName | null;
    readonly rating?: Rating | null;
  };
};
type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };
export interface DatasetsArgs extends PageArgs {
  readonly where?: Nullable<Requested> | null;
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

/** Conditions on scores, with checks by their position and ratings by their points. */
function scoresOf({ missing, unmet, rating, ...points }: NonNullable<Requested['quality']>): DatasetChoice['quality'] {
  const positionOrNull = (check: CheckName | null | undefined) => (check == null ? null : positionOf(check));
  const bounds = rating == null ? null : boundsOf(rating);
  return {
    minPoints: Math.max(points.minPoints ?? 0, bounds?.minPoints ?? 0),
    maxPoints: Math.min(points.maxPoints ?? MAX_POINTS, bounds?.maxPoints ?? MAX_POINTS),
    missing: positionOrNull(missing),
    unmet: positionOrNull(unmet),
  };
}

/** The conditions without nulls. @throws CatalogError VALIDATION for an unknown organization or group, or an empty list */
async function chosen(call: Call, { quality, ...conditions }: Nullable<Requested>): Promise<DatasetChoice> {
  const given = Object.entries(conditions).filter(([, value]) => value != null);
  const where = Object.fromEntries(given) as DatasetChoice;
  if (where.states?.length === 0)
    throw invalid([{ path: ['where', 'states'], message: 'An empty list matches nothing. Omit it' }]);
  const [organization, group] = await Promise.all([
    chosenGroup(call, 'organization', where.organization, ['where', 'organization']),
    chosenGroup(call, 'group', where.group, ['where', 'group']),
  ]);
  const states = where.states ?? (where.private === undefined ? undefined : ['active']);
  const scores = quality && scoresOf(quality);
  return {
    ...where,
    ...(scores && { quality: scores }),
    ...(organization && { organization }),
    ...(group && { group }),
    ...(states && { states }),
  };
}
