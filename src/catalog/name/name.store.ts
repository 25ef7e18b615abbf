/** Checks whether names are taken. */
import type { Db } from '../../infra/postgres/db.ts';

export type NamedKind = 'DATASET' | 'GROUP';

/** True if an object of this kind has the name, in any state. */
export async function isTaken(db: Db, kind: NamedKind, name: string): Promise<boolean> {
  const byName = { select: { id: true }, where: { name } };
  return (await (kind === 'DATASET' ? db.dataset.findUnique(byName) : db.group.findUnique(byName))) !== null;
}
