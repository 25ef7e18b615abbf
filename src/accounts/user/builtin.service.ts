/**
 * The installation's own users: the site user, which it acts as, and the two that stand for everybody in older role lists.
 * They exist from the first user on, so that nobody else can take their names.
 */
import { recordRevision } from '../../changes/changes.service.ts';
import { anonymous, type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { mayActAsSite } from './user.policy.ts';
import { findUser, type UserRecord } from './user.store.ts';
import { insertMissingUser, missingNames, type UserRow } from './write.store.ts';

/** Everybody, and everybody who is signed in. Nobody signs in as them: they have no key and no password. */
const PSEUDO_USERS = ['visitor', 'logged_in'];

/** The user named by catalog.site_id; made when it is not there yet. @throws CatalogError NOT_AUTHORIZED. */
export async function siteUser(call: Call): Promise<UserRecord> {
  allow(mayActAsSite(call.actor));
  await ensureBuiltInUsers(call);
  const user = await findUser(call.sql, call.settings['catalog.site_id']);
  if (!user) throw notFound('the site user');
  return user;
}

/** Makes those that are missing; the revision is nobody's. Several calls at once make each one once. */
export async function ensureBuiltInUsers(call: Call): Promise<void> {
  const site = call.settings['catalog.site_id'];
  const missing = await missingNames(call.sql, [site, ...PSEUDO_USERS]);
  if (missing.length === 0) return;
  await inTransaction({ ...call, actor: anonymous('site') }, async (call) => {
    const made: UserRecord[] = [];
    for (const name of missing.sort()) {
      const user = await insertMissingUser(call.sql, builtIn(call, name, name === site));
      if (user) made.push(user);
    }
    if (made.length === 0) return;
    await recordRevision(
      call,
      newId(),
      "Create the site's own users",
      made.map(({ id, name }) => ({ objectType: 'user', objectId: id, action: 'created', detail: { name } })),
    );
  });
}

function builtIn({ vault, now }: Call, name: string, isSite: boolean): UserRow {
  const key = isSite ? newId() : null;
  return {
    id: newId(),
    name,
    fullName: null,
    email: null,
    about: null,
    openId: null,
    passwordHash: null,
    apiKeySealed: key && vault.seal(key),
    apiKeyHash: key && vault.hash(key),
    sysadmin: isSite,
    state: 'active',
    emailNotifications: false,
    createdAt: now,
    imageUrl: '',
  };
}
