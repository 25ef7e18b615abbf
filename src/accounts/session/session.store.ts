/** Sessions, and known addresses of users. */
import type { Prisma, User } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

/** A user who may be signing in. */
export type CandidateRecord = Readonly<Pick<User, 'id' | 'name' | 'passwordHash'>> & {
  /** Whether this user has signed in from the address before. */
  readonly known: boolean;
};

/** An active user by id; null for an unknown id. */
export async function findCandidate(db: Db, id: string, addressHash: string): Promise<CandidateRecord | null> {
  const user = await db.user.findUnique({
    where: { id, state: 'active' },
    select: {
      id: true,
      name: true,
      passwordHash: true,
      signInPlaces: { where: { addressHash }, select: { userId: true } },
    },
  });
  return user && { id, name: user.name, passwordHash: user.passwordHash, known: user.signInPlaces.length > 0 };
}

export const insertSession = (db: Db, data: Prisma.UserSessionCreateManyInput): Promise<unknown> =>
  db.userSession.create({ data, select: { id: true } });

/** Remembers the address of a sign-in, and deletes addresses last used before `oldest`. */
export async function rememberAddress(
  db: Db,
  signIn: { userId: string; addressHash: string },
  usedAt: Date,
  oldest: Date,
): Promise<void> {
  await db.signInPlace.upsert({
    where: { userId_addressHash: signIn },
    create: { ...signIn, usedAt },
    update: { usedAt },
    select: { userId: true },
  });
  await db.signInPlace.deleteMany({ where: { userId: signIn.userId, usedAt: { lt: oldest } } });
}

export const endSession = (db: Db, id: string): Promise<unknown> => db.userSession.deleteMany({ where: { id } });

export const endSessionsOf = (db: Db, userId: string): Promise<unknown> =>
  db.userSession.deleteMany({ where: { userId } });

/** Deletes up to 1,000 sessions that have ended at `now`. */
export const sweepSessions = (db: Db, now: Date): Promise<unknown> =>
  db.userSession.deleteMany({ where: { expiresAt: { lte: now } }, limit: 1_000 });
