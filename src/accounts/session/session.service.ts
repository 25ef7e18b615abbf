/** Sign-in and sign-out. A session's secret is returned once; only its hash is stored. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notAuthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import {
  addressHash,
  attempt,
  byAccount,
  byAddress,
  byKnownAddress,
  forgiveAttempt,
} from '../attempt/attempt.service.ts';
import { newSecret, SESSION_PREFIX } from '../identity/secrets.ts';
import { verifyPassword } from '../password/password.ts';
import { PASSWORD } from '../user/user.rules.ts';
import { type UserRecord, userIdsByLogin, userShow } from '../user/user.service.ts';
import { mayEndSessions } from './session.policy.ts';
import {
  type CandidateRecord,
  endSession,
  endSessionsOf,
  findCandidate,
  insertSession,
  rememberAddress,
  sweepSessions,
} from './session.store.ts';

/** The result of a sign-in. */
export interface SignedInRecord {
  readonly secret: string;
  readonly expiresAt: Date;
  readonly user: UserRecord;
}

/** ms for which an address of a user's sign-in is remembered. */
const ADDRESS_REMEMBERED = 90 * 24 * 60 * 60 * 1_000;

/**
 * Signs in by password; ends the caller's earlier session. Unknown, pending and deleted users take as long as a wrong
 * password. @throws CatalogError NOT_AUTHORIZED with the same message for every wrong credential, LIMIT after too many
 * attempts.
 */
export async function login(call: Call, input: { login: string; password: string }): Promise<SignedInRecord> {
  const [id = ''] = await userIdsByLogin(call, { login: input.login, byId: false, states: ['active'] }, 1);
  const candidate = await findCandidate(call.db, id, addressHash(call)); // unknown users too, to take the same time
  await checkPassword(call, candidate, input.login, input.password);
  return startSession(call, candidate!.id);
}

/** Counts a wrong password and refuses it. @throws CatalogError NOT_AUTHORIZED, LIMIT. */
async function checkPassword(
  call: Call,
  candidate: CandidateRecord | null,
  login: string,
  password: string,
): Promise<void> {
  const counted = candidate?.known ? [byKnownAddress(call, candidate.id)] : [byAccount(login), byAddress(call)];
  // Texts far above the maximum length fail without hashing, for every account alike.
  const fits = await attempt(
    call,
    'password',
    counted,
    async () =>
      password.length <= PASSWORD.max * 4 &&
      (await verifyPassword(call.secrets.argon, password, candidate?.passwordHash ?? null)),
  );
  if (!fits) throw notAuthorized('Login failed. Bad username or password.');
  await forgiveAttempt(call, 'password', counted);
}

/** Checks the password of the signed-in caller. @throws CatalogError NOT_AUTHORIZED, LIMIT. */
export async function checkOwnPassword(call: Call, password: string): Promise<void> {
  const { userId, name } = call.actor;
  await checkPassword(call, await findCandidate(call.db, userId!, addressHash(call)), name!, password);
}

/** Ends the caller's session, or all of them. Returns whether a session was ended. @throws CatalogError NOT_AUTHORIZED. */
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

/** Starts a session and ends the caller's earlier one. The caller is authenticated. */
export async function startSession(call: Call, userId: string): Promise<SignedInRecord> {
  const {
    settings,
    request: { now },
    secrets: { secretBox },
  } = call;
  const secret = newSecret(SESSION_PREFIX);
  const expiresAt = new Date(now.getTime() + settings['catalog.session.lifetime'] * 1_000);
  const row = { id: newId(), userId, secretHash: secretBox.hash(secret), createdAt: now, usedAt: now, expiresAt };
  const knownAddress = { userId, addressHash: addressHash(call) };
  await inTransaction(call, async ({ db, actor }) => {
    if (actor.sessionId !== undefined) await endSession(db, actor.sessionId);
    await insertSession(db, row);
    await rememberAddress(db, knownAddress, now, new Date(now.getTime() - ADDRESS_REMEMBERED));
  });
  call.process.background.start('sweep of sessions', () => sweepSessions(call.db, now));
  return { secret, expiresAt, user: await userShow(call, userId) };
}
