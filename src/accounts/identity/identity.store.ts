/** Last use of sessions and tokens. */
import type { Db } from '../../infra/postgres/db.ts';

export const touchSession = (db: Db, id: string, at: Date): Promise<unknown> =>
  db.userSession.updateMany({ where: { id, usedAt: { lt: at } }, data: { usedAt: at } });

export const touchToken = (db: Db, id: string, at: Date): Promise<unknown> =>
  db.apiToken.updateMany({ where: { id, OR: [{ usedAt: null }, { usedAt: { lt: at } }] }, data: { usedAt: at } });
