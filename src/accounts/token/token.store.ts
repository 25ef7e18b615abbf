/** Tokens, and hashes of their secrets. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db } from '../../infra/postgres/db.ts';
import type { Scope } from './token.rules.ts';

const TOKEN = {
  id: true,
  userId: true,
  name: true,
  scope: true,
  createdAt: true,
  usedAt: true,
  expiresAt: true,
} satisfies Prisma.ApiTokenSelect;

export type TokenRecord = Readonly<Prisma.ApiTokenGetPayload<{ select: typeof TOKEN }>>;

/** Tokens of these users, including expired ones, oldest first. */
export const tokensOfUsers: ReadByKeys<TokenRecord> = readerBy<TokenRecord>({
  table: 'api_token',
  fields: TOKEN,
  by: ['userId'],
  order: ['createdAt', 'id'],
});

export const countTokens = (db: Db, userId: string): Promise<number> => db.apiToken.count({ where: { userId } });

export const insertToken = (
  db: Db,
  data: Prisma.ApiTokenCreateManyInput & { readonly scope: Scope },
): Promise<TokenRecord> => db.apiToken.create({ data, select: TOKEN });

/** By id or by the hash of its secret; null for an unknown token. */
export const findToken = (db: Db, by: { id: string } | { tokenHash: string }): Promise<TokenRecord | null> =>
  db.apiToken.findUnique({ where: by, select: TOKEN });

export const deleteToken = (db: Db, id: string): Promise<unknown> => db.apiToken.deleteMany({ where: { id } });
