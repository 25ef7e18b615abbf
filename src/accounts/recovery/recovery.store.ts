/** One-time keys for choosing a password. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

const KEY = { id: true, userId: true, expiresAt: true } satisfies Prisma.PasswordKeySelect;

export type PasswordKeyRecord = Readonly<Prisma.PasswordKeyGetPayload<{ select: typeof KEY }>>;

export const insertPasswordKey = (db: Db, data: Prisma.PasswordKeyCreateManyInput): Promise<unknown> =>
  db.passwordKey.create({ data, select: KEY });

/** A key that is valid at `now`; null for any other. */
export const findPasswordKey = (db: Db, keyHash: string, now: Date): Promise<PasswordKeyRecord | null> =>
  db.passwordKey.findUnique({
    where: { keyHash, expiresAt: { gt: now }, user: { state: { not: 'deleted' } } },
    select: KEY,
  });

/** The same, and deletes it: of several concurrent callers only one gets it. */
export async function usePasswordKey(db: Db, keyHash: string, now: Date): Promise<PasswordKeyRecord | null> {
  const key = await findPasswordKey(db, keyHash, now);
  if (!key) return null;
  const { count } = await db.passwordKey.deleteMany({ where: { id: key.id } });
  return count > 0 ? key : null;
}

/** Deletes keys that have expired at `now`. */
export const sweepPasswordKeys = (db: Db, now: Date): Promise<unknown> =>
  db.passwordKey.deleteMany({ where: { expiresAt: { lte: now } } });
