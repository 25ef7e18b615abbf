/**
 * Following. It makes no revision and no edit: it only changes the user's streams. Callers who may not read an object
 * can neither follow it nor learn about its followers. Lists omit followed objects that are no longer readable.
 */
import { mayReadDataset } from '../../catalog/dataset/dataset.policy.ts';
import { mayReadGroup } from '../../catalog/group/group.policy.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, notFound, refuse } from '../../kernel/errors.ts';
import { type UserRecord, userNodes } from '../user/user.service.ts';
import {
  type FollowKind,
  mayAskWhetherFollowing,
  mayFollow,
  mayListFollowers,
  mayUnfollow,
} from './follower.policy.ts';
import { checkFollowable, checkFound, checkNew } from './follower.rules.ts';
import { countFollowers, pagesOfFollowers } from './follower.sql.ts';
import {
  deleteFollower,
  type FollowableRecord,
  type FollowKey,
  findFollowable,
  followedAmong,
  insertFollower,
  keyText,
} from './follower.store.ts';

export type { FollowKind } from './follower.policy.ts';

/** Kind, and id or name, of an object. */
export interface Requested {
  readonly kind: FollowKind;
  readonly id: string;
}

/** The backing type of Following. */
export interface FollowingRecord {
  readonly followerId: string;
  readonly kind: FollowKind;
  readonly objectId: string;
  readonly followedAt: Date;
}

/** Makes the caller a follower. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown object, oneself, already followed) */
export async function objectFollow(call: Call, { kind, id: idOrName }: Requested): Promise<FollowingRecord> {
  const userId = signedIn(call, mayFollow(call.actor, kind));
  const object = await objectOf(call, { kind, id: idOrName });
  refuse(checkFollowable(object, kind, userId));
  const isNew = await inTransaction(call, (call) =>
    insertFollower(call, userId, { kind, id: object.id }, call.request.now),
  );
  refuse(checkNew(isNew, object.displayName));
  return { followerId: userId, kind, objectId: object.id, followedAt: call.request.now };
}

/**
 * Ends following and returns the object's id, even if the caller may no longer read the object. @throws CatalogError
 * NOT_AUTHORIZED, VALIDATION (unknown object), NOT_FOUND (not followed)
 */
export async function objectUnfollow(call: Call, { kind, id: idOrName }: Requested): Promise<string> {
  const userId = signedIn(call, mayUnfollow(call.actor));
  const object = await findFollowable(call.sql, kind, idOrName);
  refuse(checkFound(idOrName, kind, object !== null));
  const ended = await deleteFollower(call.db, userId, { kind, id: object!.id });
  if (!ended) throw notFound(`You are not following ${idOrName}.`);
  return object!.id;
}

/** Number of active followers of an object. @throws CatalogError VALIDATION (unknown object), NOT_AUTHORIZED */
export async function followerCount(call: Call, { kind, id: idOrName }: Requested): Promise<number> {
  const { id } = await objectOf(call, { kind, id: idOrName });
  return countOf(call, { kind, id });
}

/** Whether the caller follows an object. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown object) */
export async function callerIsFollowing(call: Call, { kind, id: idOrName }: Requested): Promise<boolean> {
  const userId = signedIn(call, mayAskWhetherFollowing(call.actor));
  const { id } = await objectOf(call, { kind, id: idOrName });
  return (await followedAmong(call.sql, userId, [{ kind, id }])).size > 0;
}

/** All active followers, by display name. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown object) */
export async function followerList(call: Call, { kind, id: idOrName }: Requested): Promise<UserRecord[]> {
  allow(mayListFollowers(call.actor));
  const { id } = await objectOf(call, { kind, id: idOrName });
  const pages = await pagesOfFollowers(call.sql, [{ kind, id }]);
  return (await userNodes(call, pages.get(keyText({ kind, id }))!)).flatMap((user) => user ?? []);
}

/** A page of the active followers of a loaded object, by display name. @throws CatalogError NOT_AUTHORIZED, LIMIT, VALIDATION (cursor) */
export async function followerConnection(
  call: Call,
  loaders: Loaders,
  key: FollowKey,
  args: PageArgs,
): Promise<Connection<UserRecord>> {
  allow(mayListFollowers(call.actor));
  const page = keyset(args, ['string', 'string'], call.settings['catalog.limits.rows']);
  const ids = await loaders.followerPages.load({ ...key, page });
  const users = await Promise.all(ids.map((id) => loaders.userById.load(id)));
  return connection(
    users.flatMap((user) => user ?? []),
    page,
    (user) => [user.displayName, user.name],
    () => loaders.followerCountByObject.load(key),
  );
}

/** Loads followers of many objects by one statement. */
interface Loaders {
  followerPages: { load(requested: FollowKey & { page: Keyset }): Promise<string[]> };
  followerCountByObject: { load(key: FollowKey): Promise<number> };
  userById: { load(id: string): Promise<UserRecord | null> };
}

/** Why the caller may not read an object; null when they may. */
function refusalToRead({ actor, settings }: Call, object: FollowableRecord): string | null {
  if (object.kind === 'USER') return null;
  if (object.kind === 'DATASET') return mayReadDataset(actor, object, settings);
  return mayReadGroup(actor, object, actor.capacities.get(object.id) ?? null);
}

/** An object by id or name, without a policy check; null for an unknown one. */
export const followableNamed = (call: Call, kind: FollowKind, idOrName: string): Promise<FollowableRecord | null> =>
  findFollowable(call.sql, kind, idOrName);

async function objectOf(call: Call, { kind, id: idOrName }: Requested): Promise<FollowableRecord> {
  const object = await findFollowable(call.sql, kind, idOrName);
  refuse(checkFound(idOrName, kind, object !== null));
  allow(refusalToRead(call, object!), idOrName);
  return object!;
}

const countOf = async (call: Call, key: FollowKey): Promise<number> =>
  (await countFollowers(call.sql, [key])).get(keyText(key)) ?? 0;

/** The caller's id. @throws CatalogError NOT_AUTHORIZED */
function signedIn(call: Call, reason: string | null): string {
  allow(reason);
  return call.actor.userId!;
}
