/** Gives a user a password. Whether the caller may is decided before, by what they know or were mailed. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notFound, type Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Vault } from '../../kernel/vault.ts';
import { recordUser } from './record.service.ts';
import { checkUser } from './user.rules.ts';
import { lockUser, type UserRecord } from './user.store.ts';
import { dropTokens, endSignIns, hasPassword, type SealedKey, setPassword } from './write.store.ts';

/** Why this cannot be a password that somebody chooses for themselves. */
export const passwordProblems = (password: string, field: string): Problem[] =>
  checkUser({ password }, { name: false }).map(({ message }) => ({ path: [field], message }));

/**
 * Sets a password, which was checked and hashed. All sessions but the caller's own end. Who was pending becomes active, with an API key
 * that whoever sent the invitation has not seen. `reset`: somebody else may have had the account, so tokens end too and the API key is
 * a new one; not so where there was no password yet, for then it is a first one that is chosen, and what the account's programs use
 * stays. The user is the author. @throws CatalogError NOT_FOUND for a deleted user.
 */
export function passwordSet(call: Call, userId: string, passwordHash: string, reset = false): Promise<UserRecord> {
  return inTransaction(call, async (call) => {
    const before = await lockUser(call.sql, userId);
    if (!before || before.state === 'deleted') throw notFound('User was not found.');
    const pending = before.state === 'pending';
    const renewed = pending || (reset && (await hasPassword(call.sql, userId)));
    if (renewed) await dropTokens(call.sql, userId);
    const user = await setPassword(call.sql, userId, passwordHash, renewed ? sealedKey(call.vault) : null);
    await endSignIns(call.sql, userId, call.actor.userId === userId ? (call.actor.sessionId ?? null) : null);
    const author = { ...call, actor: { ...call.actor, userId, name: user.name } };
    const fields = [...(pending ? ['state'] : []), ...(renewed ? ['apiKey'] : []), 'password'];
    await recordUser(author, user, 'updated', { fields });
    return user;
  });
}

function sealedKey({ seal, hash }: Vault): SealedKey {
  const key = newId();
  return { sealed: seal(key), hash: hash(key) };
}
