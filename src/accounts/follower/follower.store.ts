/** Follower relations. The caller checks the policy. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
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

/** Map key of an object. */
export const keyText = ({ kind, id }: FollowKey): string => `${SOURCES[kind].type} ${id}`;

/** Objects that can be followed, with the fields that policies, lists and messages need. */
export type FollowableRecord = Awaited<ReturnType<(typeof FIND)[FollowKind]>>[number];

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

const by = ['id', 'name'];
const READ = {
  USER: readerBy<Prisma.UserGetPayload<{ select: typeof USER }>>({ table: 'user_account', fields: USER, by }),
  DATASET: readerBy<Prisma.DatasetGetPayload<{ select: typeof DATASET }>>({ table: 'dataset', fields: DATASET, by }),
  GROUP: readerBy<Prisma.GroupGetPayload<{ select: typeof GROUP }>>({ table: 'group_account', fields: GROUP, by }),
};

const FIND = {
  USER: async (sql: Sql, ref: string) =>
    (await READ.USER(sql, [ref])).map((user) => ({ kind: 'USER' as const, ...user })),
  DATASET: async (sql: Sql, ref: string) =>
    (await READ.DATASET(sql, [ref])).map((dataset) => ({
      kind: 'DATASET' as const,
      displayName: dataset.title || dataset.name,
      ...dataset,
    })),
  GROUP: async (sql: Sql, ref: string) =>
    (await READ.GROUP(sql, [ref])).map((group) => ({
      kind: group.isOrganization ? ('ORGANIZATION' as const) : ('GROUP' as const),
      displayName: group.title || group.name,
      ...group,
    })),
};

/** An object by id or name, an id wins; null for an unknown one. */
export async function findFollowable(sql: Sql, kind: FollowKind, idOrName: string): Promise<FollowableRecord | null> {
  const found: FollowableRecord[] = await FIND[kind](sql, idOrName);
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

const FOLLOWED = { objectType: true, objectId: true } satisfies Prisma.FollowerSelect;
const readFollowed = readerBy<Prisma.FollowerGetPayload<{ select: typeof FOLLOWED }>>({
  table: 'follower',
  fields: FOLLOWED,
  by: ['objectId'],
  and: ['followerId'],
});

/** The objects among these that the user follows, by keyText. */
export async function followedAmong(sql: Sql, followerId: string, keys: readonly FollowKey[]): Promise<Set<string>> {
  const objectIds = keys.map(({ id }) => id);
  const followed = new Set(
    (await readFollowed(sql, objectIds, followerId)).map((row) => `${row.objectType} ${row.objectId}`),
  );
  return new Set(keys.map(keyText).filter((key) => followed.has(key)));
}

/** Keys as two columns: types and ids. */
export const columnsOf = (keys: readonly FollowKey[]): [string[], string[]] => [
  keys.map(({ kind }) => SOURCES[kind].type),
  keys.map(({ id }) => id),
];
