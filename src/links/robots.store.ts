/** Cached rules of robots.txt by origin. */
import type { LinkRobots } from '../generated/prisma/client.ts';
import type { Db } from '../infra/postgres/db.ts';

export const findRobots = (db: Db, origin: string): Promise<LinkRobots | null> =>
  db.linkRobots.findUnique({ where: { origin } });

export async function saveRobots(db: Db, origin: string, rules: string): Promise<void> {
  const data = { rules: rules.replaceAll('\0', '').toWellFormed(), fetchedAt: new Date() };
  await db.linkRobots.upsert({ where: { origin }, create: { origin, ...data }, update: data });
}

/** Removes rules that were read before this time. */
export const pruneRobots = async (db: Db, before: Date): Promise<void> =>
  void (await db.linkRobots.deleteMany({ where: { fetchedAt: { lt: before } } }));
