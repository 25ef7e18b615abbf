/**
 * Built-in users of the site: the site user, and the two pseudo-users of older role lists. They are created with the
 * first user, so that their names stay reserved.
 */
import { recordRevision } from '../../changes/changes.service.ts';
import { anonymous, type Call, inTransaction } from '../../kernel/call.ts';
import { allow, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { sealedKey } from './key.ts';
import { mayActAsSite } from './user.policy.ts';
import { findUser, type UserRecord } from './user.store.ts';
import { insertMissingUsers, missingNames } from './write.store.ts';

/** All visitors, and all signed-in users. They have no key and no password, so they cannot sign in. */
const PSEUDO_USERS = ['visitor', 'logged_in'];

/** The user named by catalog.site_id; created if missing. @throws CatalogError NOT_AUTHORIZED. */
export async function siteUser(call: Call): Promise<UserRecord> {
  allow(mayActAsSite(call.actor));
  const name = call.settings['catalog.site_id'];
  const found = await findUser(call.sql, name);
  if (found) return found;
  await ensureBuiltInUsers(call);
  const created = await findUser(call.sql, name);
  if (!created) throw notFound('the site user');
  return created;
}

/** Creates missing built-in users in a revision without author. Concurrent calls create each one once. */
export async function ensureBuiltInUsers(call: Call): Promise<void> {
  const site = call.settings['catalog.site_id'];
  const missing = await missingNames(call.db, [site, ...PSEUDO_USERS]);
  if (missing.length === 0) return;
  await inTransaction({ ...call, actor: anonymous('site') }, async (call) => {
    const rows = missing.sort().map((name) => ({
      id: newId(),
      name,
      createdAt: call.request.now,
      ...(name === site && { sysadmin: true, ...sealedKey(call.secrets.secretBox) }),
    }));
    const created = await insertMissingUsers(call.db, rows);
    if (created.length === 0) return;
    await recordRevision(
      call,
      newId(),
      "Create the site's own users",
      created.map(({ id, name }) => ({ objectType: 'user', objectId: id, action: 'created', detail: { name } })),
    );
  });
}
