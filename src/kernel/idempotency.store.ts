/** Stores the request of an idempotency key. */
import type { Prisma } from '../generated/prisma/client.ts';
import type { Db } from '../infra/postgres/db.ts';

type Key = Prisma.IdempotencyKeyUserIdKeyCompoundUniqueInput;

const KEY_SELECT = { mutation: true, inputHash: true, objectId: true } satisfies Prisma.IdempotencyKeySelect;

/** The request of a claimed key. */
export const readKey = (db: Db, { userId, key }: Key) =>
  db.idempotencyKey.findUniqueOrThrow({ where: { userId_key: { userId, key } }, select: KEY_SELECT });

/** Stores the object that the request created. */
export const noteObject = async (db: Db, { userId, key }: Key, objectId: string): Promise<void> =>
  void (await db.idempotencyKey.update({
    where: { userId_key: { userId, key } },
    data: { objectId },
    select: { key: true },
  }));
