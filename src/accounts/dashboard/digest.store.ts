/** Positions up to which the change log was e-mailed. */
import type { Db } from '../../infra/postgres/db.ts';

/** Moves a user's position; false if a concurrent call moved it first. */
export async function moveMailed(db: Db, userId: string, from: number | null, to: number | null): Promise<boolean> {
  const { count } = await db.dashboard.updateMany({
    where: { userId, mailedSequence: from },
    data: { mailedSequence: to },
  });
  if (count > 0 || from !== null) return count > 0;
  const created = await db.dashboard.createMany({ data: { userId, mailedSequence: to }, skipDuplicates: true });
  return created.count > 0;
}
