/** Reads users. Whoever may read a user sees the same but for e-mail address, API key and private datasets. */
import { createHash } from 'node:crypto';
import { imageAddress } from '../../catalog/file/image.rules.ts';
import { imageByName, type ShownImage } from '../../catalog/file/image.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { notFound } from '../../kernel/errors.ts';
import { inOrder } from '../../kernel/node.ts';
import { seesAccount } from './user.policy.ts';
import { type ColumnOrder, sortUsers } from './user.rules.ts';
import { idsByLogin, type Login, listUsers, usersByIds } from './user.sql.ts';
import { countUsers, findUser, pageOfUsers, type UserChoice, type UserRecord } from './user.store.ts';

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

/** A page of active users by display name. @throws CatalogError LIMIT, VALIDATION (cursor). */
export async function userConnection(
  call: Call,
  args: PageArgs & { text?: string | null },
): Promise<UserConnectionRecord> {
  const page = keyset(args, ['string', 'string'], call.settings['catalog.limits.rows']);
  const choice = choose(call, args.text);
  const rows = await pageOfUsers(call.db, choice, page.after?.map(String) ?? null, page.limit + 1);
  return connection(
    rows,
    page,
    (user) => [user.displayName, user.name],
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

/** Active users whose name or full name holds the text, by display name. @throws CatalogError LIMIT, VALIDATION (negative limit). */
export function userSuggestions(call: Call, { text, limit }: { text: string; limit: number }): Promise<UserRecord[]> {
  const max = call.settings['catalog.limits.rows'];
  return pageOfUsers(call.db, { text: escaped(text), byEmail: false }, null, position({ limit }, max).limit);
}

/** One user by id or name, in whatever state. @throws CatalogError NOT_FOUND. */
export async function userShow(call: Call, idOrName: string): Promise<UserRecord> {
  const user = await findUser(call.db, idOrName);
  if (!user) throw notFound();
  return user;
}

/** An image of a user that is kept here, by its name. @throws CatalogError NOT_FOUND */
export async function userImage(call: Call, name: string): Promise<ShownImage> {
  const image = await imageByName(call, 'user', name);
  if (!image) throw notFound();
  return { ...image, isPublic: true };
}

/** Where browsers find the image of a user. */
export const userImageAddress = (call: Call, { imageUrl }: UserRecord): string =>
  imageAddress('user', imageUrl, call.settings['catalog.site_url']);

/** Ids of up to `limit` users with a login: the one with that name or id first, then the oldest accounts with that e-mail address. */
export const userIdsByLogin = (call: Call, login: Login, limit: number): Promise<string[]> =>
  idsByLogin(call.sql, login, limit);

/** The caller; null when nobody is signed in. */
export const userOfCaller = async (call: Call): Promise<UserRecord | null> =>
  call.actor.userId === null ? null : findUser(call.db, call.actor.userId);

/** Users in the order of the ids; null where there is none. */
export const userNodes = async (call: Call, ids: readonly string[]): Promise<(UserRecord | null)[]> =>
  inOrder(ids, await usersByIds(call.sql, ids), (user) => user.id);

/** Whether the caller sees e-mail address and API key of a user that was read. */
export const accountVisible = ({ actor }: Call, user: UserRecord): boolean =>
  user.createdByCaller === true || seesAccount(actor, user.id);

/** Null when there is none or it is not the caller's to see. */
export const emailOf = (call: Call, user: UserRecord): string | null =>
  accountVisible(call, user) ? user.email : null;

/** Null when there is none or it is not the caller's to see, or it was sealed with another site secret. */
export const apiKeyOf = (call: Call, user: UserRecord): string | null =>
  user.apiKeySealed !== null && accountVisible(call, user) ? call.secretBox.open(user.apiKeySealed) : null;

/**
 * MD5 (hex) of the trimmed lowercase address, as avatar services want it; of the empty text without one. Short texts are guessed from
 * their MD5: of people who were invited, and have not agreed to be here yet, it is for those who see the address anyway.
 */
export const emailHashOf = (call: Call, user: UserRecord): string =>
  createHash('md5')
    .update(user.state === 'pending' && !accountVisible(call, user) ? '' : (user.email ?? '').trim().toLowerCase())
    .digest('hex');

const choose = ({ actor }: Call, text: string | null | undefined): UserChoice => ({
  text: text ? escaped(text) : null,
  byEmail: actor.sysadmin,
});

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
