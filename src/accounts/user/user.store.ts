/** Reads users. user.sql.ts lists them. Never selects password hashes. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { lockRef } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { idWins } from '../../kernel/node.ts';

export const USER = {
  id: true,
  name: true,
  fullName: true,
  displayName: true,
  email: true,
  about: true,
  openId: true,
  apiKeySealed: true,
  sysadmin: true,
  state: true,
  emailNotifications: true,
  imageUrl: true,
  createdAt: true,
  version: true,
} satisfies Prisma.UserSelect;

type UserRow = Readonly<Prisma.UserGetPayload<{ select: typeof USER }>>;

export interface UserRecord extends UserRow {
  /** Set only in the response to the call that created the user. */
  readonly createdByCaller?: boolean;
  /** Whether the caller's own key was made by this request. Clients of the graph see it once. */
  readonly hasNewKey?: boolean;
}

/** Users, optionally with `text` in their name, full name or, with `byEmail`, e-mail address. */
export interface UserChoice {
  /** With `\`, `%` and `_` escaped; null without a condition. */
  readonly text: string | null;
  readonly byEmail: boolean;
  /** System administrators only, or other users only. */
  readonly sysadmin?: boolean | undefined;
  /** Deleted users instead of active ones. */
  readonly deleted?: boolean;
}

const users = { table: 'user_account', fields: USER };
const readUsers = readerBy<UserRow>({ ...users, by: ['id', 'name'] });

/** Unordered. */
export const usersByIds: ReadByKeys<UserRecord> = readerBy<UserRow>({ ...users, by: ['id'], isShort: true });

/** By id or name, an id wins; null for an unknown user. */
export const findUser = async (sql: Sql, idOrName: string): Promise<UserRecord | null> =>
  idWins(await readUsers(sql, [idOrName]), idOrName);

/** The same, and locks the row until the transaction ends. */
export async function lockUser({ sql }: Pick<Call, 'sql'>, idOrName: string): Promise<UserRecord | null> {
  const locked = await lockRef(sql, 'user_account', idOrName);
  return locked && findUser(sql, locked.id);
}

export const countUsers = (db: Db, choice: UserChoice): Promise<number> => db.user.count({ where: chosen(choice) });

function chosen({ text, byEmail, sysadmin, deleted = false }: UserChoice): Prisma.UserWhereInput {
  const where = { state: deleted ? 'deleted' : 'active', ...(sysadmin !== undefined && { sysadmin }) };
  if (text === null) return where;
  const fits = { contains: text, mode: 'insensitive' } as const;
  return { ...where, OR: [{ name: fits }, { fullName: fits }, ...(byEmail ? [{ email: fits }] : [])] };
}

/** Whether there is any user, in any state. */
export const isAnyUser = async (db: Db): Promise<boolean> =>
  (await db.user.findFirst({ select: { id: true } })) !== null;
