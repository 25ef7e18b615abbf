/** Writes users, and ends their sessions, tokens and memberships. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import type { Taken } from './user.rules.ts';
import { USER, type UserRecord } from './user.store.ts';

/** A row to insert; keys are sealed and passwords hashed. */
export type UserRow = Omit<Prisma.UserCreateManyInput, 'displayName' | 'version'>;

/** Columns to change; undefined keeps a column. */
export type UserUpdate = Partial<Omit<UserRow, 'id' | 'createdAt'>>;

/** Values that other users already have; `self` is the id of the user being written. */
export async function findTaken(
  db: Db,
  { name, id, apiKeyHash }: Partial<Pick<UserRow, 'name' | 'id' | 'apiKeyHash'>>,
  self?: string,
): Promise<Taken> {
  // Undefined would be no condition; no user has an empty name, id or hash.
  const found = await db.user.findMany({
    where: { OR: [{ name: name ?? '' }, { id: id ?? '' }, { apiKeyHash: apiKeyHash ?? '' }] },
    select: { name: true, id: true, apiKeyHash: true },
  });
  return {
    name: found.some((user) => user.name === name && user.id !== self),
    id: found.some((user) => user.id === id),
    apiKey: found.some((user) => user.apiKeyHash !== null && user.apiKeyHash === apiKeyHash),
  };
}

export const insertUser = (db: Db, data: UserRow): Promise<UserRecord> => db.user.create({ data, select: USER });

/** Inserts users in order, and returns those whose names were free. */
export const insertMissingUsers = (db: Db, data: UserRow[]): Promise<UserRecord[]> =>
  db.user.createManyAndReturn({ data, skipDuplicates: true, select: USER });

/** The names without a user. */
export async function missingNames(db: Db, names: readonly string[]): Promise<string[]> {
  const found = await db.user.findMany({ where: { name: { in: [...names] } }, select: { name: true } });
  return names.filter((requested) => !found.some(({ name }) => name === requested));
}

/** Changes a locked user. */
export const updateUser = (db: Db, id: string, data: UserUpdate): Promise<UserRecord> =>
  db.user.update({ where: { id }, data: { ...data, version: { increment: 1 } }, select: USER });

export const hasPassword = async (db: Db, id: string): Promise<boolean> =>
  (await db.user.count({ where: { id, passwordHash: { not: null } } })) > 0;

/** Removes a locked user from every group and organization. Returns their ids. */
export async function endMemberships(db: Db, userId: string): Promise<string[]> {
  const memberships = await db.membership.findMany({ where: { userId }, select: { groupId: true } });
  await db.membership.deleteMany({ where: { userId } });
  return memberships.map(({ groupId }) => groupId);
}

/** Ends a user's sessions except one, and deletes the password keys mailed to them. */
export async function endSignIns(db: Db, userId: string, remainingSession?: string): Promise<void> {
  await db.userSession.deleteMany({ where: { userId, id: { not: remainingSession } } });
  await deletePasswordKeys(db, userId);
}

/** Deletes the password keys mailed to a user. */
export const deletePasswordKeys = (db: Db, userId: string): Promise<unknown> =>
  db.passwordKey.deleteMany({ where: { userId } });

/** Ends a user's tokens. */
export const deleteTokens = (db: Db, userId: string): Promise<unknown> => db.apiToken.deleteMany({ where: { userId } });
