/** Follower relations. The caller checks the policy. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { idWins } from '../../kernel/node.ts';
import type { FollowKind } from './follower.policy.ts';

/** An object by kind and id. */
export interface FollowKey {
  readonly kind: FollowKind;
  readonly id: string;
}

/** The column's name for each kind, and its table. Groups and organizations share one type. */
const SOURCES = {
  USER: { type: 'user', table: 'user_account' },
  DATASET: { type: 'dataset', table: 'dataset' },
  GROUP: { type: 'group', table: 'group_account' },
} as const;
const KINDS = Object.keys(SOURCES) as FollowKind[];

/** Map key of an object. */
export const keyText = ({ kind, id }: FollowKey): string => `${SOURCES[kind].type} ${id}`;

/** Objects that can be followed, with the fields that policies, lists and messages need. */
export type FollowableRecord = Awaited<ReturnType<(typeof FIND)[FollowKind]>>[number];

type ByIdOrName = { OR: [{ id: string }, { name: string }] };

const USER = { id: true, name: true, displayName: true, state: true } satisfies Prisma.UserSelect;
const DATASET = {
  id: true,
  name: true,
  title: true,
  state: true,
  private: true,
  ownerOrganizationId: true,
  creatorId: true,
} satisfies Prisma.DatasetSelect;
const GROUP = { id: true, name: true, title: true, state: true, isOrganization: true } satisfies Prisma.GroupSelect;

const FIND = {
  USER: async (db: Db, where: ByIdOrName) =>
    (await db.user.findMany({ where, select: USER })).map((user) => ({ kind: 'USER' as const, ...user })),
  DATASET: async (db: Db, where: ByIdOrName) =>
    (await db.dataset.findMany({ where, select: DATASET })).map((dataset) => ({
      kind: 'DATASET' as const,
      displayName: dataset.title || dataset.name,
      ...dataset,
    })),
  GROUP: async (db: Db, where: ByIdOrName) =>
    (await db.group.findMany({ where, select: GROUP })).map((group) => ({
      kind: group.isOrganization ? ('ORGANIZATION' as const) : ('GROUP' as const),
      displayName: group.title || group.name,
      ...group,
    })),
};

/** An object by id or name, an id wins; null for an unknown one. */
export async function findFollowable(db: Db, kind: FollowKind, idOrName: string): Promise<FollowableRecord | null> {
  const found: FollowableRecord[] = await FIND[kind](db, { OR: [{ id: idOrName }, { name: idOrName }] });
  return idWins(found, idOrName);
}

/** False if the user already follows it. Call it in a transaction: it locks the object against concurrent deletion. */
export async function insertFollower(
  { db, sql }: Pick<Call, 'db' | 'sql'>,
  followerId: string,
  { kind, id: objectId }: FollowKey,
  createdAt: Date,
): Promise<boolean> {
  const { type: objectType, table } = SOURCES[kind];
  if (!(await lockRow(sql, table, objectId, 'KEY SHARE'))) return false;
  const data = { followerId, objectType, objectId, createdAt };
  return (await db.follower.createMany({ data, skipDuplicates: true })).count > 0;
}

/** False if the user did not follow it. */
export const deleteFollower = async (db: Db, followerId: string, { kind, id }: FollowKey): Promise<boolean> =>
  (await db.follower.deleteMany({ where: { followerId, objectType: SOURCES[kind].type, objectId: id } })).count > 0;

/** Number of active followers per object, by keyText; objects without any are omitted. */
export async function countFollowers(db: Db, keys: readonly FollowKey[]): Promise<Map<string, number>> {
  const found = await db.follower.groupBy({
    by: ['objectType', 'objectId'],
    where: { ...among(keys), follower: { state: 'active' } },
    _count: true,
  });
  return new Map(found.map(({ objectType, objectId, _count }) => [`${objectType} ${objectId}`, _count]));
}

/** The objects among these that the user follows, by keyText. */
export async function followedAmong(db: Db, followerId: string, keys: readonly FollowKey[]): Promise<Set<string>> {
  const found = await db.follower.findMany({
    where: { ...among(keys), followerId },
    select: { objectType: true, objectId: true },
  });
  return new Set(found.map(({ objectType, objectId }) => `${objectType} ${objectId}`));
}

/** Keys as two columns: types and ids. */
export const columnsOf = (keys: readonly FollowKey[]): [string[], string[]] => [
  keys.map(({ kind }) => SOURCES[kind].type),
  keys.map(({ id }) => id),
];

const among = (keys: readonly FollowKey[]): Prisma.FollowerWhereInput => ({
  OR: KINDS.map((kind) => ({
    objectType: SOURCES[kind].type,
    objectId: { in: keys.filter((key) => key.kind === kind).map(({ id }) => id) },
  })),
});
