/** Gives a user a password. Whether the caller may is decided before, by what they know or were mailed. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notFound, type Problem } from '../../kernel/errors.ts';
import { sealedKey } from './key.ts';
import { recordUser } from './record.service.ts';
import { checkUser } from './user.rules.ts';
import { lockUser, type UserRecord } from './user.store.ts';
import { deleteTokens, endSignIns, hasPassword, updateUser } from './write.store.ts';

/** Why this cannot be a password that somebody chooses for themselves. */
export const passwordProblems = (password: string, field: string): Problem[] =>
  checkUser({ password }, { name: false }).map(({ message }) => ({ path: [field], message }));

/**
 * Sets a password that was checked and hashed, as its user, and ends their sessions except the caller's own. A pending user becomes
 * active, with a new API key: the sender of the invitation has seen the first one. With `reset`, somebody else may have used the
 * account: tokens end too, and the API key is replaced. Both stay if the user had no password yet. @throws CatalogError NOT_FOUND for a deleted user.
 */
export function passwordSet(call: Call, userId: string, passwordHash: string, reset = false): Promise<UserRecord> {
  return inTransaction(call, async (call) => {
    const before = await lockUser(call, userId);
    if (!before || before.state === 'deleted') throw notFound('User was not found.');
    const pending = before.state === 'pending';
    const renewed = pending || (reset && (await hasPassword(call.db, userId)));
    if (renewed) await deleteTokens(call.db, userId);
    const key = renewed ? sealedKey(call.secretBox) : {};
    const user = await updateUser(call.db, userId, { passwordHash, state: 'active', ...key });
    await endSignIns(call.db, userId, call.actor.userId === userId ? call.actor.sessionId : undefined);
    const author = { ...call, actor: { ...call.actor, userId, name: user.name } };
    const fields = [...(pending ? ['state'] : []), ...(renewed ? ['apiKey'] : []), 'password'];
    await recordUser(author, user, 'updated', { fields });
    return user;
  });
}
