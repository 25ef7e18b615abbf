/** Changes users. Hashes passwords and seals keys; neither appears in revisions, changes or logs. */
import type { NewFile } from '../../catalog/file/file.service.ts';
import { checkImage, imageUrlAfter, type NewImage, settleImage, withImage } from '../../catalog/file/image.service.ts';
import { isMailAddress } from '../../infra/mail.ts';
import { type Actor, anonymous, type Call, inTransaction } from '../../kernel/call.ts';
import { allow, checkVersion, invalidField, notFound, type Problem, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { hashPassword } from '../password/password.ts';
import { ensureBuiltInUsers } from './builtin.service.ts';
import type { CreateUserInput, RegisterInput, UpdateUserInput } from './input.ts';
import { sealedKey } from './key.ts';
import { recordUser } from './record.service.ts';
import {
  mayChangeAccounts,
  mayCreateUser,
  mayDeleteUser,
  mayLeaveOutCredentials,
  mayUpdateUser,
  mustProvePassword,
  setsPrivileges,
} from './user.policy.ts';
import { checkChosen, checkUser, PASSWORD } from './user.rules.ts';
import { lockUser, type UserRecord } from './user.store.ts';
import {
  deletePasswordKeys,
  deleteTokens,
  endMemberships,
  endSignIns,
  findTaken,
  insertUser,
  type UserRow,
  type UserUpdate,
  updateUser,
} from './write.store.ts';

/**
 * Creates a user with an API key. Ignores sysadmin flag and state unless the caller is a sysadmin. @throws CatalogError
 * NOT_AUTHORIZED, VALIDATION (all problems at once), CONFLICT (name taken in the meantime).
 */
export async function userCreate(call: Call, input: CreateUserInput): Promise<UserRecord> {
  allow(mayCreateUser(call.actor, call.settings));
  return makeUser(call, input);
}

/**
 * Creates an account at its user's own request, limited to these fields. With `catalog.auth.confirm_email` the user is
 * pending, without a password. @throws CatalogError as userCreate.
 */
export function userRegister(
  call: Call,
  { name, email, password, fullName, about }: RegisterInput,
): Promise<UserRecord> {
  const pending = call.settings['catalog.auth.confirm_email'];
  const problems = email === '' || isMailAddress(email) ? [] : [{ path: ['email'], message: 'Not an e-mail address' }];
  if (pending && password)
    problems.push({ path: ['password'], message: 'Omit the password. You choose it with the mailed link' });
  const visitor = { ...call, actor: anonymous(call.actor.address) };
  return makeUser(visitor, { name, email, password, fullName, about }, { problems, pending });
}

interface Registration {
  /** Found in the input before. */
  readonly problems: readonly Problem[];
  /** Whether the user chooses a password later, by a mailed link. */
  readonly pending: boolean;
}
const ACTIVE: Registration = { problems: [], pending: false };

async function makeUser(call: Call, input: CreateUserInput, registration = ACTIVE): Promise<UserRecord> {
  await ensureBuiltInUsers(call);
  return withImage(call, input, (file) => create(call, input, file, registration));
}

async function create(
  call: Call,
  input: CreateUserInput,
  file: NewFile | null,
  registration: Registration,
): Promise<UserRecord> {
  const { image, problems } = await checkImage(call, file);
  const { pending } = registration;
  await checkNewUser(call, input, { pending, problems: [...registration.problems, ...problems] });
  const imageUrl = await imageUrlAfter(call, 'user', null, input, image);
  const created = newRow(call, input, imageUrl, await passwordHashOf(call, input));
  const row = pending ? { ...created, state: 'pending' } : created;
  return inTransaction(call, async (call) => {
    const user = await insertUser(call.db, row);
    await settleImage(call, 'user', user, null, image);
    // A self-registered user, or one created by the operator, is the author of the revision: there is no other.
    const author: Actor = call.actor.userId === null ? { ...call.actor, userId: user.id, name: user.name } : call.actor;
    const byOperator = mayLeaveOutCredentials(call.actor);
    await recordUser({ ...call, actor: author }, user, 'created', byOperator ? { by: 'operator' } : {});
    return { ...user, createdByCaller: true, hasNewKey: call.actor.userId === null };
  });
}

/** As userPatch, but the e-mail address is required. @throws CatalogError as userPatch. */
export const userReplace = (call: Call, input: UpdateUserInput): Promise<UserRecord> =>
  userPatch(call, { ...input, email: input.email ?? null });

/**
 * Changes the fields in the input; omitted ones stay. A user who becomes deleted loses all memberships. @throws
 * CatalogError NOT_AUTHORIZED, NOT_FOUND, VALIDATION (all problems at once), CONFLICT.
 */
export async function userPatch(call: Call, input: UpdateUserInput): Promise<UserRecord> {
  allow(mayChangeAccounts(call.actor));
  return withImage(call, input, (file) => inTransaction(call, (call) => patch(call, input, file)));
}

async function patch(call: Call, input: UpdateUserInput, file: NewFile | null): Promise<UserRecord> {
  const before = await lockForChange(call, input.user, input.expectedVersion);
  const permitted = setsPrivileges(call.actor) ? input : { ...input, sysadmin: undefined, state: undefined };
  if (permitted.password && mustProvePassword(call.actor, before.id))
    throw invalidField('password', 'To change your own password in a session, use the mutation `changePassword`');
  const taken = await findTaken(call.db, { name: permitted.name ?? undefined }, before.id);
  const { image, problems } = await checkImage(call, file);
  refuse([
    ...problems,
    ...checkUser(
      {
        name: permitted.name ?? undefined,
        email: permitted.email,
        password: permitted.password || undefined,
        state: permitted.state ?? undefined,
      },
      taken,
      minPasswordLength(call.actor, before.id),
    ),
  ]);
  return write(
    call,
    before,
    {
      ...updateOf(permitted),
      imageUrl: await imageUrlAfter(call, 'user', before, permitted, image),
      passwordHash: await passwordHashOf(call, permitted),
    },
    image,
  );
}

/** Marks a user deleted and ends all memberships; does nothing for a deleted user. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND. */
export async function userDelete(
  call: Call,
  { user: idOrName, expectedVersion }: { user: string; expectedVersion?: number | null },
): Promise<UserRecord> {
  allow(mayDeleteUser(call.actor));
  return inTransaction(call, async (call) => {
    const user = await userLock(call, idOrName);
    checkVersion('The user', user.version, expectedVersion);
    return user.state === 'deleted' ? user : write(call, user, { state: 'deleted' });
  });
}

/** Generates a new API key for a user. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND. */
export async function apiKeyGenerate(
  call: Call,
  input: { user: string; expectedVersion?: number | null },
): Promise<UserRecord> {
  allow(mayChangeAccounts(call.actor));
  return inTransaction(call, async (call) => {
    const { id } = await lockForChange(call, input.user, input.expectedVersion);
    const user = await updateUser(call.db, id, sealedKey(call.secrets.secretBox));
    await recordUser(call, user, 'updated', { fields: ['apiKey'] });
    return { ...user, hasNewKey: call.actor.userId === user.id };
  });
}

async function checkNewUser(call: Call, input: CreateUserInput, { problems, pending }: Registration): Promise<void> {
  const { name, databaseId, apiKey, state } = input;
  const optional = mayLeaveOutCredentials(call.actor);
  const chosen = setsPrivileges(call.actor);
  const apiKeyHash = chosen && apiKey != null ? call.secrets.secretBox.hash(apiKey) : undefined;
  const taken = await findTaken(call.db, { name, id: databaseId ?? undefined, apiKeyHash });
  refuse([
    ...problems,
    ...checkUser(
      {
        name,
        email: optional ? input.email || undefined : (input.email ?? null),
        password: optional || pending ? input.password || undefined : (input.password ?? null),
        state: chosen ? (state ?? undefined) : undefined,
      },
      taken,
      minPasswordLength(call.actor, null),
    ),
    ...checkChosen({ databaseId: databaseId ?? undefined, apiKey: apiKey ?? undefined }, taken, chosen),
  ]);
}

function newRow(call: Call, input: CreateUserInput, imageUrl: string, passwordHash: string | undefined): UserRow {
  const { name, fullName, about, openId } = input;
  const privileged = setsPrivileges(call.actor);
  return {
    id: input.databaseId ?? newId(),
    name,
    fullName,
    about,
    openId,
    email: input.email || null,
    passwordHash,
    ...sealedKey(call.secrets.secretBox, input.apiKey ?? undefined),
    sysadmin: privileged && input.sysadmin === true,
    state: (privileged && input.state) || 'active',
    emailNotifications: input.emailNotifications ?? false,
    createdAt: call.request.now,
    imageUrl,
  };
}

/** Undefined without a password. */
const passwordHashOf = async (call: Call, { password }: { password?: string | null }): Promise<string | undefined> =>
  password ? hashPassword(call.secrets.argon, password) : undefined;

const minPasswordLength = (actor: Actor, userId: string | null): number =>
  setsPrivileges(actor) && actor.userId !== userId ? PASSWORD.minBySysadmin : PASSWORD.min;

/** Undefined keeps a field; null clears a text and keeps all others. */
const updateOf = ({ fullName, about, openId, ...permitted }: UpdateUserInput): UserUpdate => ({
  fullName,
  about,
  openId,
  name: permitted.name ?? undefined,
  email: permitted.email ?? undefined,
  sysadmin: permitted.sysadmin ?? undefined,
  state: permitted.state ?? undefined,
  emailNotifications: permitted.emailNotifications ?? undefined,
});

async function write(
  call: Call,
  before: UserRecord,
  update: UserUpdate,
  image: NewImage | null = null,
): Promise<UserRecord> {
  const user = await updateUser(call.db, before.id, update);
  await settleImage(call, 'user', user, before, image);
  const leaves = user.state === 'deleted' && before.state !== 'deleted';
  const left = leaves ? await endMemberships(call.db, user.id) : [];
  if (leaves || update.passwordHash) await endSignIns(call.db, user.id, leaves ? undefined : call.actor.sessionId);
  // Readers of the old mailbox must not be able to choose a password for this account.
  else if (user.email !== before.email) await deletePasswordKeys(call.db, user.id);
  if (leaves) await deleteTokens(call.db, user.id);
  const action = leaves ? 'deleted' : before.state === 'deleted' && user.state !== 'deleted' ? 'restored' : 'updated';
  const changed: string[] = FIELDS.filter((field) => user[field] !== before[field]);
  if (update.passwordHash) changed.push('password');
  const detail = {
    fields: changed,
    ...(user.name !== before.name && { formerName: before.name }),
    ...(left.length > 0 && { leftGroups: left }),
  };
  await recordUser(call, user, action, detail, before.state === 'active');
  return user;
}

const FIELDS = [
  'name',
  'fullName',
  'email',
  'about',
  'openId',
  'sysadmin',
  'state',
  'emailNotifications',
  'imageUrl',
] as const;

/** A user, locked until the end of the transaction. @throws CatalogError NOT_FOUND. */
export async function userLock(call: Call, idOrName: string): Promise<UserRecord> {
  const user = await lockUser(call, idOrName);
  if (!user) throw notFound('User was not found.');
  return user;
}

async function lockForChange(call: Call, idOrName: string, expectedVersion?: number | null): Promise<UserRecord> {
  const user = await userLock(call, idOrName);
  allow(mayUpdateUser(call.actor, user.id, idOrName));
  checkVersion('The user', user.version, expectedVersion);
  return user;
}
