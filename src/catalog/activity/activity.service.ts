/** Activity streams, and activities that programs write. Changes of the catalog come from its change log. */
import { followableNamed } from '../../accounts/follower/follower.service.ts';
import { type UserRecord, userShow } from '../../accounts/user/user.service.ts';
import { recordRevision } from '../../changes/changes.service.ts';
import type { ChangeRecord } from '../../changes/changes.sql.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { allow, invalid, invalidField, orNull, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import { datasetShow } from '../dataset/dataset.service.ts';
import { readerOf } from '../document/readable.ts';
import type { DatasetRecord } from '../document/record.ts';
import { type GroupRecord, groupShow } from '../group/group.service.ts';
import type { RelatedRecord } from '../related/related.store.ts';
import { mayNoteActivity, mayReadDashboard } from './activity.policy.ts';
import { type ActivityType, checkData, checkNoted, kindOf } from './activity.rules.ts';
import {
  type ActivityChoice,
  type ActivityRow,
  activitiesByIds,
  countNews,
  FROM_NEWEST,
  listNews,
  type Part,
  partsOfStreams,
  type Range,
  readingOf,
  type StreamKind,
} from './activity.sql.ts';
import { type Copies, type DetailRecord, detailsOf } from './details.ts';
import { type CopyKey, copiesOf, copyText } from './snapshots.sql.ts';

export { typeOf } from './activity.rules.ts';
export type { ActivityRow } from './activity.sql.ts';

/** The backing type of ActivityConnection. */
export type ActivityConnectionRecord = Connection<ActivityRow>;

/** The backing type of ActivityObject. */
export type ActivityObject = UserRecord | DatasetRecord | GroupRecord | RelatedRecord;

interface Stream {
  readonly kind: StreamKind;
  readonly id: string;
}

/** The request's loaders: many streams and objects cost one statement. */
interface Loaders {
  activityParts: { load(stream: Stream & { part: Part }): Promise<ActivityRow[]> };
  activityCounts: { load(stream: Stream & { where: ActivityChoice }): Promise<number> };
  datasetCopies: { load(key: CopyKey): Promise<Copies | null> };
  datasetFieldsByCopy: { load(key: CopyKey): Promise<unknown> };
  userById: { load(id: string): Promise<UserRecord | null> };
  datasetById: { load(id: string): Promise<DatasetRecord | null> };
  readableRelatedItem: { load(id: string): Promise<RelatedRecord | null> };
  readableGroup: { load(id: string): Promise<GroupRecord | null> };
}

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null };
interface ActivitiesArgs extends PageArgs {
  readonly where?: Nullable<ActivityChoice> | null;
  readonly orderBy?: { readonly direction?: 'ASC' | 'DESC' | null } | null;
}

/** A page of a stream. The caller may read its object. @throws CatalogError LIMIT, VALIDATION (cursor, empty list) */
export async function activityConnection(
  call: Call,
  loaders: Loaders,
  stream: Stream,
  { where: conditions, orderBy, ...args }: ActivitiesArgs,
): Promise<Connection<ActivityRow>> {
  const isAscending = orderBy?.direction === 'ASC';
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows'], isAscending ? 'ASC' : null);
  const where = await chosen(call, conditions ?? {});
  const { limit, backward, from } = page;
  const part = {
    from: from && Number(from[0]),
    backward: backward !== isAscending,
    limit: limit + 1,
    offset: 0,
    where,
  };
  const rows = await loaders.activityParts.load({ ...stream, part });
  return connection(
    rows,
    page,
    ({ sequence }) => [sequence],
    () => loaders.activityCounts.load({ ...stream, where }),
  );
}

/** The conditions without nulls. @throws CatalogError VALIDATION for an unknown user, or an empty list */
async function chosen(call: Call, conditions: Nullable<ActivityChoice>): Promise<ActivityChoice> {
  const given = Object.entries(conditions).filter(([, value]) => value != null);
  const where = Object.fromEntries(given) as ActivityChoice;
  if (where.types?.length === 0)
    throw invalid([{ path: ['where', 'types'], message: 'An empty list matches nothing. Omit it' }]);
  if (where.actor === undefined) return where;
  const actor = await orNull(userShow(call, where.actor));
  if (!actor) throw invalid([{ path: ['where', 'actor'], message: 'Not found: User' }]);
  return { ...where, actor: actor.id };
}

/** Activities by position. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, LIMIT, VALIDATION (negative numbers) */
export async function activityList(
  call: Call,
  args: { of: Exclude<StreamKind, 'ALL'>; id?: string | null; limit?: number | null; offset?: number | null },
): Promise<ActivityRow[]> {
  const { settings } = call;
  const id = await idOfStream(call, args.of, args.id ?? null);
  const max = Math.max(settings['catalog.limits.rows'], settings['catalog.activity_list_limit']);
  const page = position({ limit: args.limit ?? settings['catalog.activity_list_limit'], offset: args.offset }, max);
  const streams = await partsOfStreams(call.sql, args.of, [id], { ...FROM_NEWEST, ...page }, readingOf(call));
  return streams.get(id) ?? [];
}

/** Number of activities of other users in the caller's dashboard within a range of the log, counted up to `max`. */
export const newsCount = (call: Call, range: Range, max: number): Promise<number> =>
  countNews(call.sql, range, max, readerOf(call.actor));

/** The same activities, newest first. */
export const newsList = (call: Call, range: Range, limit: number): Promise<ActivityRow[]> =>
  listNews(call.sql, range, limit, readerOf(call.actor));

/** Activities in the order of the ids; null for a missing activity or one that the caller may not read. */
export const activityNodes = async (call: Call, ids: readonly string[]): Promise<(ActivityRow | null)[]> =>
  inOrder(ids, await activitiesByIds(call.sql, ids, readerOf(call.actor)), ({ id }) => id);

/** The changes of an activity; empty when the caller may not read it. */
export async function activityDetails(call: Call, activityId: string): Promise<DetailRecord[]> {
  const [activity] = await activityNodes(call, [activityId]);
  if (!activity || !hasCopies(activity)) return [];
  const copies = (await copiesOf(call.sql, [activity])).get(copyText(activity));
  return copies ? detailsOf(activity, copies) : [];
}

/** The same for a loaded activity. */
export async function detailsOfActivity(loaders: Loaders, activity: ActivityRow): Promise<DetailRecord[]> {
  const copies = hasCopies(activity) ? await loaders.datasetCopies.load(activity) : null;
  return copies ? detailsOf(activity, copies) : [];
}

/** The object's own fields after the activity; null when the activity is not a change of the catalog. */
export async function fieldsOfActivity(loaders: Loaders, activity: ActivityRow): Promise<unknown> {
  return hasCopies(activity) ? loaders.datasetFieldsByCopy.load(activity) : (activity.detail.row ?? null);
}

const hasCopies = ({ objectType, action }: ActivityRow): boolean => objectType === 'dataset' && action !== 'noted';

/** The object in its present state; null when the caller may no longer read it. */
export function objectOfActivity(
  loaders: Loaders,
  { objectType, objectId }: ActivityRow,
): Promise<ActivityObject | null> {
  if (objectType === 'dataset') return loaders.datasetById.load(objectId);
  if (objectType === 'related') return loaders.readableRelatedItem.load(objectId);
  return objectType === 'user' ? loaders.userById.load(objectId) : loaders.readableGroup.load(objectId);
}

/** The GraphQL type name of an activity's object. */
export function objectTypename(object: ActivityObject): 'User' | 'Dataset' | 'Group' | 'Organization' | 'RelatedItem' {
  if ('datasetId' in object) return 'RelatedItem';
  if ('document' in object) return 'Dataset';
  if ('isOrganization' in object) return object.isOrganization ? 'Organization' : 'Group';
  return 'User';
}

/** Writes an activity that is not a change. @throws CatalogError NOT_AUTHORIZED, VALIDATION (all problems at once) */
export async function activityCreate(
  call: Call,
  input: { userId: string; type: ActivityType; objectId: string; data?: unknown },
): Promise<ActivityRow> {
  allow(mayNoteActivity(call.actor));
  const kind = kindOf(input.type);
  const user = await followableNamed(call, 'USER', input.userId);
  const object = await followableNamed(call, kind, input.objectId);
  refuse([...checkNoted(user, object, kind), ...checkData(input.data)]);
  const activityId = newId();
  const { id, name, displayName } = object!;
  await inTransaction(call, (call) =>
    recordRevision(call, newId(), `Note an activity: ${input.type} ${name}`, [
      {
        objectType: object!.kind.toLowerCase() as ChangeRecord['objectType'],
        objectId: id,
        action: 'noted',
        detail: { name, title: displayName, noted: { type: input.type, data: input.data ?? {} } },
        activityId,
        actorId: user!.id,
      },
    ]),
  );
  return (await activityNodes(call, [activityId]))[0]!;
}

/** The object's id, if the caller may read the object. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
async function idOfStream(call: Call, kind: Exclude<StreamKind, 'ALL'>, idOrName: string | null): Promise<string> {
  switch (kind) {
    case 'SITE':
      return '';
    case 'DASHBOARD':
      if (idOrName === '' && call.actor.userId !== null) throw invalidField('id', 'Missing value');
      allow(mayReadDashboard(call.actor, idOrName));
      return call.actor.userId!;
    case 'USER':
      return (await userShow(call, idOrName ?? '')).id;
    case 'DATASET':
      return (await datasetShow(call, idOrName ?? '')).id;
    default:
      return (await groupShow(call, idOrName ?? '', kind === 'ORGANIZATION')).id;
  }
}
