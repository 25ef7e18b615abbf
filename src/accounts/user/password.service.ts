/** Sets passwords. The caller has checked the permission, by a credential or a mailed key. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notFound, type Problem } from '../../kernel/errors.ts';
import { sealedKey } from './key.ts';
import { recordUser } from './record.service.ts';
import { checkUser } from './user.rules.ts';
import { lockUser, type UserRecord } from './user.store.ts';
import { deleteTokens, endSignIns, hasPassword, updateUser } from './write.store.ts';

/** Problems of a password that users choose for themselves. */
export const passwordProblems = (password: string, field: string): Problem[] =>
  checkUser({ password }, { name: false }).map(({ message }) => ({ path: [field], message }));

/**
 * Stores a checked and hashed password, with the user as author, and ends the user's sessions except the caller's own.
 * A pending user becomes active and gets a new API key, because the sender of the invitation has seen the first one.
 * `reset` assumes that another person may have used the account: it also revokes tokens and replaces the API key. Both
 * stay for a user without an earlier password. @throws CatalogError NOT_FOUND for a deleted user.
 */
export function passwordSet(call: Call, userId: string, passwordHash: string, reset = false): Promise<UserRecord> {
  return inTransaction(call, async (call) => {
    const before = await lockUser(call, userId);
    if (!before || before.state === 'deleted') throw notFound('User was not found.');
    const pending = before.state === 'pending';
    const renewed = pending || (reset && (await hasPassword(call.db, userId)));
    if (renewed) await deleteTokens(call.db, userId);
    const key = renewed ? sealedKey(call.secrets.secretBox) : {};
    const user = await updateUser(call.db, userId, { passwordHash, state: 'active', ...key });
    await endSignIns(call.db, userId, call.actor.userId === userId ? call.actor.sessionId : undefined);
    const author = { ...call, actor: { ...call.actor, userId, name: user.name } };
    const fields = [...(pending ? ['state'] : []), ...(renewed ? ['apiKey'] : []), 'password'];
    await recordUser(author, user, 'updated', { fields });
    return user;
  });
}
