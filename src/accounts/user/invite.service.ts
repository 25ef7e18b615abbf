/** Invited users. They are pending until they choose a password. */
import { randomInt } from 'node:crypto';
import type { Call } from '../../kernel/call.ts';
import { allow, conflict, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { ensureBuiltInUsers } from './builtin.service.ts';
import { sealedKey } from './key.ts';
import { recordUser } from './record.service.ts';
import { mayCreateUser } from './user.policy.ts';
import { checkEmail, nameFromEmail } from './user.rules.ts';
import type { UserRecord } from './user.store.ts';
import { findTaken, insertUser } from './write.store.ts';

const NUMBERS = 10_000;
const TRIES = 20;

/**
 * Creates a pending user named after an e-mail address. Call it in a transaction. @throws CatalogError NOT_AUTHORIZED,
 * VALIDATION, CONFLICT.
 */
export async function userInvited(call: Call, email: string): Promise<UserRecord> {
  allow(mayCreateUser(call.actor, call.settings));
  refuse(checkEmail(email.trim() && email).map((message) => ({ path: ['email'], message })));
  await ensureBuiltInUsers(call);
  const user = await insertUser(call.db, {
    id: newId(),
    name: await freeName(call, email),
    email,
    ...sealedKey(call.secrets.secretBox),
    state: 'pending',
    createdAt: call.request.now,
  });
  await recordUser(call, user, 'created', {});
  return { ...user, createdByCaller: true };
}

async function freeName(call: Call, email: string): Promise<string> {
  for (let at = 0; at < TRIES; at += 1) {
    const name = nameFromEmail(email, randomInt(NUMBERS));
    if (!(await findTaken(call.db, { name })).name) return name;
  }
  throw conflict('Could not generate a free name for the invited user. Try again.');
}
