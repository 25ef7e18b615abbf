/** Writes groups. Lists of groups: write.sql.ts. */
import type { Db } from '../../infra/postgres/db.ts';
import type { GroupRecord } from './group.store.ts';

export const insertGroup = async (db: Db, data: GroupRecord): Promise<void> =>
  void (await db.group.create({ data, select: { id: true } }));

export const updateGroup = async (db: Db, { id, ...data }: GroupRecord): Promise<void> =>
  void (await db.group.updateMany({ where: { id }, data }));

/** Increments a group's version after a change of content shown with it. */
export const touchGroup = async (db: Db, id: string): Promise<void> =>
  void (await db.group.updateMany({ where: { id }, data: { version: { increment: 1 } } }));

/** Deletes a group with its extras, members and links. */
export const deleteGroup = async (db: Db, id: string): Promise<void> =>
  void (await db.group.deleteMany({ where: { id } }));
