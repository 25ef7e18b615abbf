/** Reads users. All callers see the same fields, except e-mail address, API key and private datasets. */

import { createHash } from 'node:crypto';
import { imageAddress } from '../../catalog/file/image.rules.ts';
import { imageByName, type ShownImage } from '../../catalog/file/image.service.ts';
import { likeText } from '../../infra/postgres/like.ts';
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { allow, notFound } from '../../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../../kernel/keyset.sql.ts';
import { inOrder } from '../../kernel/node.ts';
import { mayListDeletedUsers, seesAccount } from './user.policy.ts';
import { type ColumnOrder, sortUsers } from './user.rules.ts';
import { idsByLogin, type ListedUser, type Login, listUsers, pageOfUsers, USER_FIELDS } from './user.sql.ts';
import { countUsers, findUser, type UserChoice, type UserRecord, usersByIds } from './user.store.ts';

export { siteUser } from './builtin.service.ts';
export { userInvited } from './invite.service.ts';
export { passwordProblems, passwordSet } from './password.service.ts';
export { recordUser } from './record.service.ts';
export type { UserRecord } from './user.store.ts';
export {
  apiKeyGenerate,
  userCreate,
  userDelete,
  userLock,
  userPatch,
  userRegister,
  userReplace,
} from './write.service.ts';

/** The backing type of UserConnection. */
export type UserConnectionRecord = Connection<UserRecord>;

interface UsersArgs extends PageArgs {
  readonly where?: {
    readonly text?: string | null;
    readonly sysadmin?: boolean | null;
    readonly deleted?: boolean | null;
  } | null;
  readonly orderBy?: Parameters<typeof orderIn<keyof typeof USER_FIELDS>>[1];
}

/** A page of active or deleted users. @throws CatalogError LIMIT, VALIDATION (cursor), NOT_AUTHORIZED (deleted ones) */
export async function userConnection(call: Call, args: UsersArgs): Promise<UserConnectionRecord> {
  const order = orderIn(USER_FIELDS, args.orderBy, 'NAME');
  const shape = shapeOf(keysIn(USER_FIELDS, order));
  const page = keyset(args, shape, call.settings['catalog.limits.rows'], order);
  const { text, sysadmin, deleted } = args.where ?? {};
  if (deleted) allow(mayListDeletedUsers(call.actor));
  const choice = { ...choose(call, text), sysadmin: sysadmin ?? undefined, deleted: deleted ?? false };
  const rows: UserRecord[] = await pageOfUsers(call.sql, choice, order, page);
  return connection(
    rows,
    page,
    (user) => (user as ListedUser).key,
    () => countUsers(call.db, choice),
  );
}

interface Loaders {
  datasetCountByUser: { load(id: string): Promise<number> };
  editsByUser: { load(id: string): Promise<number> };
}

/** All active users in one of the orders of user_list. */
export async function userList(
  call: Call,
  loaders: Loaders,
  { text, orderBy }: { text?: string | null; orderBy: ColumnOrder | 'DATASETS' | 'EDITS' },
): Promise<UserRecord[]> {
  const users = await listUsers(call.sql, choose(call, text));
  if (orderBy !== 'DATASETS' && orderBy !== 'EDITS') return sortUsers(users, orderBy);
  const counts = orderBy === 'DATASETS' ? loaders.datasetCountByUser : loaders.editsByUser;
  const counted = await Promise.all(users.map(async (user) => ({ user, count: await counts.load(user.id) })));
  return counted.sort((a, b) => b.count - a.count).map(({ user }) => user);
}

/** Active users whose name or full name contains the text, by display name. @throws CatalogError LIMIT, VALIDATION (negative limit). */
export function userSuggestions(call: Call, { text, limit }: { text: string; limit: number }): Promise<UserRecord[]> {
  const max = call.settings['catalog.limits.rows'];
  const choice = { text: likeText(text), byEmail: false };
  return listUsers(call.sql, choice, position({ limit }, max).limit);
}

/** One user by id or name, in any state. @throws CatalogError NOT_FOUND. */
export async function userShow(call: Call, idOrName: string): Promise<UserRecord> {
  const user = await findUser(call.sql, idOrName);
  if (!user) throw notFound();
  return user;
}

/** A stored image of a user by its name. @throws CatalogError NOT_FOUND */
export async function userImage(call: Call, name: string): Promise<ShownImage> {
  const image = await imageByName(call, 'user', name);
  if (!image) throw notFound();
  return { ...image, isPublic: true };
}

/** The URL of a user's image for browsers. */
export const userImageAddress = (call: Call, { imageUrl }: UserRecord): string =>
  imageAddress('user', imageUrl, call.settings['catalog.site_url']);

/** Ids of up to `limit` users for a login: the one with that name or id first, then the oldest accounts with that e-mail address. */
export const userIdsByLogin = (call: Call, login: Login, limit: number): Promise<string[]> =>
  idsByLogin(call.sql, login, limit);

/** The caller; null for anonymous callers. */
export const userOfCaller = async (call: Call): Promise<UserRecord | null> =>
  call.actor.userId === null ? null : findUser(call.sql, call.actor.userId);

/** Users in the order of the ids; null for an unknown id. */
export const userNodes = async (call: Call, ids: readonly string[]): Promise<(UserRecord | null)[]> =>
  inOrder(ids, await usersByIds(call.sql, ids), (user) => user.id);

/** Whether the caller sees e-mail address and API key of a loaded user. */
export const accountVisible = ({ actor }: Call, user: UserRecord): boolean =>
  user.createdByCaller === true || seesAccount(actor, user.id);

/** Null if missing, or hidden from the caller. */
export const emailOf = (call: Call, user: UserRecord): string | null =>
  accountVisible(call, user) ? user.email : null;

/** Null if missing, hidden from the caller, or sealed with another site secret. */
export const apiKeyOf = (call: Call, user: UserRecord): string | null =>
  user.apiKeySealed !== null && accountVisible(call, user) ? call.secrets.secretBox.open(user.apiKeySealed) : null;

/**
 * MD5 (hex) of the trimmed lowercase address, as avatar services require; of the empty text without one. Short texts
 * can be guessed from their MD5. Therefore, for invited people who have not agreed to be here yet, only callers who may
 * see the address see it.
 */
export const emailHashOf = (call: Call, user: UserRecord): string =>
  createHash('md5')
    .update(user.state === 'pending' && !accountVisible(call, user) ? '' : (user.email ?? '').trim().toLowerCase())
    .digest('hex');

const choose = ({ actor }: Call, text: string | null | undefined): UserChoice => ({
  text: text ? likeText(text) : null,
  byEmail: actor.sysadmin,
});
