/** Ids of entities by name. Whether the caller may read them is decided when they are read by id. */
import type { Group } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

type Names = readonly string[];
type Row = Readonly<Pick<Group, 'id' | 'name'>>;

const NAMED: Readonly<Record<string, (db: Db, names: Names) => Promise<Row[]>>> = {
  Dataset: (db, names) => db.dataset.findMany({ where: { name: { in: [...names] } }, select: SHOWN }),
  Organization: (db, names) => findGroups(db, names, true),
  Group: (db, names) => findGroups(db, names, false),
  User: (db, names) => db.user.findMany({ where: { name: { in: [...names] } }, select: SHOWN }),
  Vocabulary: (db, names) => db.vocabulary.findMany({ where: { name: { in: [...names] } }, select: SHOWN }),
};

const SHOWN = { id: true, name: true } as const;

const findGroups = (db: Db, names: Names, isOrganization: boolean): Promise<Row[]> =>
  db.group.findMany({ where: { name: { in: [...names] }, isOrganization }, select: SHOWN });

/** Name → id, of the names that a type has. One statement. */
export async function findIds(db: Db, type: string, names: Names): Promise<ReadonlyMap<string, string>> {
  const rows = (await NAMED[type]?.(db, names)) ?? [];
  return new Map(rows.map(({ id, name }) => [name, id]));
}
