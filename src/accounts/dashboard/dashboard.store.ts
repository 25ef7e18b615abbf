/** Positions up to which users have seen the change log. */
import type { Db } from '../../infra/postgres/db.ts';

export interface SeenRecord {
  readonly userId: string;
  /** When it was marked; without a mark, the creation time of the account. */
  readonly seenAt: Date;
  /** The newest position in the log at that time. */
  readonly seen: number;
}

/** Positions at the creation of accounts: without a mark, older changes count as seen. */
export async function createdPositions(db: Db, userIds: readonly string[]): Promise<Map<string, number>> {
  const where = { objectType: 'user', objectId: { in: [...userIds] }, action: 'created' };
  const rows = await db.change.groupBy({ by: 'objectId', where, _max: { sequence: true } });
  return new Map(rows.map(({ objectId, _max }) => [objectId, Number(_max.sequence)]));
}

/** The seen position of a user; null for an unknown user. */
export async function findSeen(db: Db, userId: string): Promise<SeenRecord | null> {
  const user = await db.user.findUnique({
    where: { id: userId },
    select: { createdAt: true, dashboard: { select: { seenAt: true, seenSequence: true } } },
    relationLoadStrategy: 'join',
  });
  if (!user) return null;
  const seen = user.dashboard?.seenSequence ?? (await createdPositions(db, [userId])).get(userId) ?? 0;
  return { userId, seenAt: user.dashboard?.seenAt ?? user.createdAt, seen: Number(seen) };
}
