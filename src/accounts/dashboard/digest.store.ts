/** Recipients of digests, and the positions up to which the change log was e-mailed. */
import type { Dashboard, User } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { createdPositions } from './dashboard.store.ts';

export type Recipient = Readonly<Pick<User, 'id' | 'displayName' | 'name'>> & {
  readonly email: string;
  /** Position up to which activities were seen or sent. */
  readonly handledUntil: number;
  /** Position up to which they were sent; null if none were. */
  readonly mailed: Dashboard['mailedSequence'];
};

/** Up to `take` users with e-mail notifications after an id (null: from the first), by id; only these ids or names, or (null) all. */
export async function listRecipients(
  db: Db,
  after: string | null,
  among: readonly string[] | null,
  take: number,
): Promise<Recipient[]> {
  const named = among && { in: [...among] };
  const users = await db.user.findMany({
    where: {
      emailNotifications: true,
      state: 'active',
      email: { not: null },
      ...(after !== null && { id: { gt: after } }),
      ...(named && { OR: [{ id: named }, { name: named }] }),
    },
    select: {
      id: true,
      name: true,
      displayName: true,
      email: true,
      dashboard: { select: { seenSequence: true, mailedSequence: true } },
    },
    relationLoadStrategy: 'join',
    orderBy: { id: 'asc' },
    take,
  });
  const unmarked = users.flatMap(({ id, dashboard }) => (dashboard?.seenSequence == null ? [id] : []));
  const created = unmarked.length > 0 ? await createdPositions(db, unmarked) : new Map<string, number>();
  return users.map(({ dashboard, ...user }) => {
    const seen = Number(dashboard?.seenSequence ?? created.get(user.id) ?? 0);
    const mailed = dashboard?.mailedSequence ?? null;
    return { ...user, email: user.email!, handledUntil: Math.max(seen, Number(mailed ?? 0)), mailed };
  });
}

/** Moves a user's position; false if a concurrent call moved it first. */
export async function moveMailed(
  db: Db,
  userId: string,
  from: bigint | number | null,
  to: bigint | number | null,
): Promise<boolean> {
  const { count } = await db.dashboard.updateMany({
    where: { userId, mailedSequence: from },
    data: { mailedSequence: to },
  });
  if (count > 0 || from !== null) return count > 0;
  const created = await db.dashboard.createMany({ data: { userId, mailedSequence: to }, skipDuplicates: true });
  return created.count > 0;
}
