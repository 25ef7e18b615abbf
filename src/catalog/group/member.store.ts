/** Single members of a group: a user, a dataset, or a parent group. */
import type { Membership } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { newId } from '../../kernel/ids.ts';

export type MemberKind = 'user' | 'dataset' | 'group';

export type MemberRecord = Readonly<Pick<Membership, 'groupId' | 'capacity' | 'revisionId'>> & {
  /** Null for a dataset that the organization owns. */
  readonly id: string | null;
  readonly objectType: MemberKind;
  readonly objectId: string;
};

const select = { id: true, capacity: true, revisionId: true };

/** One member of a group; null for none. Owned datasets are not members. */
export async function findMember(
  db: Db,
  groupId: string,
  objectType: MemberKind,
  objectId: string,
): Promise<MemberRecord | null> {
  const notDeleted = { state: { not: 'deleted' } };
  const row =
    objectType === 'user'
      ? await db.membership.findFirst({ where: { groupId, userId: objectId, user: notDeleted }, select })
      : objectType === 'dataset'
        ? await db.datasetGroup.findFirst({ where: { groupId, datasetId: objectId, dataset: notDeleted }, select })
        : await db.groupParent.findFirst({
            where: { childId: groupId, parentId: objectId, parent: { state: 'active' } },
            select,
          });
  return row && { ...row, groupId, objectType, objectId };
}

/** Adds a user or a parent group; an existing one gets the capacity. */
export async function putMember(
  db: Db,
  groupId: string,
  kind: 'user' | 'group',
  objectId: string,
  capacity: string,
  revisionId: string,
): Promise<void> {
  const update = { capacity, revisionId };
  const values = { id: newId(), ...update };
  if (kind === 'user') {
    const key = { groupId, userId: objectId };
    await db.membership.upsert({ where: { groupId_userId: key }, create: { ...values, ...key }, update });
  } else {
    const key = { childId: groupId, parentId: objectId };
    await db.groupParent.upsert({ where: { childId_parentId: key }, create: { ...values, ...key }, update });
  }
}

/** Removes a user or a parent group; false if there was none. */
export async function dropMember(db: Db, groupId: string, kind: 'user' | 'group', objectId: string): Promise<boolean> {
  const { count } =
    kind === 'user'
      ? await db.membership.deleteMany({ where: { groupId, userId: objectId } })
      : await db.groupParent.deleteMany({ where: { childId: groupId, parentId: objectId } });
  return count > 0;
}
