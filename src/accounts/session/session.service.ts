/** Signing in and out, and registering. The secret of a session is handed out once; what is kept is its hash. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notAuthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { addressHash, attempt, byAccount, byAddress, byPlace, forgiveAttempt } from '../attempt/attempt.service.ts';
import { newSecret, SESSION_PREFIX } from '../identity/secrets.ts';
import { verifyPassword } from '../password/password.ts';
import type { RegisterInput } from '../user/input.ts';
import { PASSWORD } from '../user/user.rules.ts';
import { type UserRecord, userIdsByLogin, userRegister, userShow } from '../user/user.service.ts';
import { mayEndSessions, mayRegister } from './session.policy.ts';
import {
  type CandidateRecord,
  endSession,
  endSessionsOf,
  findCandidate,
  insertSession,
  rememberPlace,
  sweepSessions,
} from './session.store.ts';

/** Somebody has just signed in. */
export interface SignedInRecord {
  readonly secret: string;
  readonly expiresAt: Date;
  readonly user: UserRecord;
}

/** ms for which an address is remembered as one that a user has signed in from. */
const PLACE_REMEMBERED = 90 * 24 * 60 * 60 * 1_000;

/**
 * Signs in by password; a session that the caller had ends. Unknown, pending and deleted users take the time of a wrong password.
 * @throws CatalogError NOT_AUTHORIZED in the same words whatever is wrong, LIMIT after too many tries.
 */
export async function login(call: Call, input: { login: string; password: string }): Promise<SignedInRecord> {
  const [id = ''] = await userIdsByLogin(call, { login: input.login, byId: false, states: ['active'] }, 1);
  const candidate = await findCandidate(call.db, id, addressHash(call)); // unknown users too: they must take as long
  await checkPassword(call, candidate, input.login, input.password);
  return startSession(call, candidate!.id);
}

/**
 * Refuses a wrong password, and counts it.
 * @throws CatalogError NOT_AUTHORIZED, LIMIT.
 */
async function checkPassword(
  call: Call,
  candidate: CandidateRecord | null,
  login: string,
  password: string,
): Promise<void> {
  const counted = candidate?.known ? [byPlace(call, candidate.id)] : [byAccount(login), byAddress(call)];
  // Texts that are far too long are wrong without work, for every account alike.
  const fits = await attempt(
    call,
    'password',
    counted,
    async () =>
      password.length <= PASSWORD.max * 4 &&
      (await verifyPassword(call.argon, password, candidate?.passwordHash ?? null)),
  );
  if (!fits) throw notAuthorized('Login failed. Bad username or password.');
  await forgiveAttempt(call, 'password', counted);
}

/** Refuses when it is not the password of the caller, who is signed in. @throws CatalogError NOT_AUTHORIZED, LIMIT. */
export async function checkOwnPassword(call: Call, password: string): Promise<void> {
  const { userId, name } = call.actor;
  await checkPassword(call, await findCandidate(call.db, userId!, addressHash(call)), name!, password);
}

/** Makes an account for whoever asks, and signs them in. @throws CatalogError NOT_AUTHORIZED, VALIDATION, CONFLICT, LIMIT. */
export async function register(call: Call, input: RegisterInput): Promise<SignedInRecord> {
  allow(mayRegister(call.settings));
  const user = await attempt(call, 'registration', [byAddress(call)], () => userRegister(call, input));
  return startSession(call, user.id);
}

/** Ends the caller's session, or all of them. Answers whether there was one to end. @throws CatalogError NOT_AUTHORIZED. */
export async function logout(call: Call, { everywhere }: { everywhere?: boolean | null }): Promise<boolean> {
  const { userId, sessionId } = call.actor;
  if (!everywhere) {
    if (sessionId !== undefined) await endSession(call.db, sessionId);
    return sessionId !== undefined;
  }
  allow(mayEndSessions(call.actor));
  await endSessionsOf(call.db, userId!);
  return true;
}

/** A new session in place of the one that the caller had. Whoever gets here has proven who they are. */
async function startSession(call: Call, userId: string): Promise<SignedInRecord> {
  const { now, secretBox, settings } = call;
  const secret = newSecret(SESSION_PREFIX);
  const expiresAt = new Date(now.getTime() + settings['catalog.session.lifetime'] * 1_000);
  const row = { id: newId(), userId, secretHash: secretBox.hash(secret), createdAt: now, usedAt: now, expiresAt };
  const place = { userId, addressHash: addressHash(call) };
  await inTransaction(call, async ({ db, actor }) => {
    if (actor.sessionId !== undefined) await endSession(db, actor.sessionId);
    await insertSession(db, row);
    await rememberPlace(db, place, now, new Date(now.getTime() - PLACE_REMEMBERED));
  });
  call.background.start('sweep of sessions', () => sweepSessions(call.db, now));
  return { secret, expiresAt, user: await userShow(call, userId) };
}
