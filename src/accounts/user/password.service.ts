/** Gives a user a password. Whether the caller may is decided before, by what they know or were mailed. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notFound, type Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { hashPassword } from '../password/password.ts';
import { recordUser } from './record.service.ts';
import { checkUser } from './user.rules.ts';
import { lockUser, type UserRecord } from './user.store.ts';
import { activateUser, dropTokens, endSignIns, setPassword } from './write.store.ts';

/** Why this cannot be a password that somebody chooses for themselves. */
export const passwordProblems = (password: string, field: string): Problem[] =>
  checkUser({ password }, { name: false }).map(({ message }) => ({ path: [field], message }));

/**
 * Sets a password, which was checked. All sessions but the caller's own end. Who was pending becomes active, with an API key that
 * whoever sent the invitation has not seen. `endTokens`: all tokens end too. The user is the author.
 * @throws CatalogError NOT_FOUND for a deleted user.
 */
export async function passwordSet(
  call: Call,
  userId: string,
  password: string,
  endTokens = false,
): Promise<UserRecord> {
  const passwordHash = await hashPassword(call.argon, password);
  return inTransaction(call, async (call) => {
    const before = await lockUser(call.sql, userId);
    if (!before || before.state === 'deleted') throw notFound('User was not found.');
    const pending = before.state === 'pending';
    const key = newId();
    const user = pending
      ? await activateUser(call.sql, userId, { passwordHash, sealed: call.vault.seal(key), hash: call.vault.hash(key) })
      : await setPassword(call.sql, userId, passwordHash);
    await endSignIns(call.sql, userId, call.actor.userId === userId ? (call.actor.sessionId ?? null) : null);
    if (endTokens) await dropTokens(call.sql, userId);
    const author = { ...call, actor: { ...call.actor, userId, name: user.name } };
    await recordUser(author, user, 'updated', { fields: pending ? ['state', 'apiKey', 'password'] : ['password'] });
    return user;
  });
}
