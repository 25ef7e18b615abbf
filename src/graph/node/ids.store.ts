/** Looks up ids of types that have names: services of these types take an id or a name. */
import type { Group } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

type Ids = readonly string[];
type Row = Readonly<Pick<Group, 'id'>>;

const where = (ids: Ids) => ({ where: { id: { in: [...ids] } }, select: { id: true as const } });
const findGroups = (db: Db, ids: Ids): Promise<Row[]> => db.group.findMany(where(ids));

const NAMED: Readonly<Record<string, (db: Db, ids: Ids) => Promise<Row[]>>> = {
  Dataset: (db, ids) => db.dataset.findMany(where(ids)),
  Organization: findGroups,
  Group: findGroups,
  User: (db, ids) => db.user.findMany(where(ids)),
  Vocabulary: (db, ids) => db.vocabulary.findMany(where(ids)),
  Tag: (db, ids) => db.tag.findMany(where(ids)),
  HarvestSource: (db, ids) => db.harvestSource.findMany(where(ids)),
};

/** Whether objects of the type have names. */
export const hasNames = (type: string): boolean => Object.hasOwn(NAMED, type);

/** The ids of a type that exist. One statement. */
export async function findExisting(db: Db, type: string, ids: Ids): Promise<ReadonlySet<string>> {
  return new Set((await NAMED[type]!(db, ids)).map(({ id }) => id));
}
