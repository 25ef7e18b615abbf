/** Authenticates callers by API key, session or token. Each is one look-up by a keyed hash. */
import type { Actor, Call, Capacity } from '../../kernel/call.ts';
import {
  findById,
  findByKey,
  findBySession,
  findByToken,
  findValidSecrets,
  type IdentityRecord,
} from './identity.sql.ts';
import { touchSession, touchToken } from './identity.store.ts';
import { SESSION_PREFIX, TOKEN_PREFIX } from './secrets.ts';

const RANK: Readonly<Record<string, number>> = { member: 1, editor: 2, admin: 3 };
/** ms between two updates of a session's or token's last use. */
const TOUCH_AFTER = 60_000;

/** The actor of a request's secret. An unknown, revoked or expired secret means anonymous, as clients expect. */
export function identify(call: Call, secret: string): Promise<Actor> {
  if (secret.startsWith(SESSION_PREFIX)) return identifySession(call, secret);
  if (secret.startsWith(TOKEN_PREFIX)) return identifyToken(call, secret);
  return identifyKey(call, secret);
}

/** The actor of a user, for work on their behalf; null without an active user of that id. */
export async function identifyUser(call: Call, userId: string): Promise<Actor | null> {
  const found = await findById(call.sql, userId, cascading(call));
  return found && actorOf(call, found);
}

async function identifyKey(call: Call, key: string): Promise<Actor> {
  const found = await findByKey(call.sql, call.secrets.secretBox.hash(key), cascading(call));
  return found ? actorOf(call, found) : call.actor;
}

async function identifySession(call: Call, secret: string): Promise<Actor> {
  const {
    db,
    sql,
    secrets: { secretBox },
    request: { now },
  } = call;
  const found = await findBySession(sql, secretBox.hash(secret), cascading(call), now, oldestUse(call));
  if (!found) return call.actor;
  if (isDue(call, found.usedAt))
    call.process.background.start('session used', () => touchSession(db, found.credentialId, now));
  return { ...actorOf(call, found), sessionId: found.credentialId };
}

/** A token without the scope `admin` has no sysadmin rights. */
async function identifyToken(call: Call, secret: string): Promise<Actor> {
  const {
    db,
    sql,
    secrets: { secretBox },
    request: { now },
  } = call;
  const found = await findByToken(sql, secretBox.hash(secret), cascading(call), now);
  if (!found) return call.actor;
  if (isDue(call, found.usedAt))
    call.process.background.start('token used', () => touchToken(db, found.credentialId, now));
  const actor = actorOf(call, found);
  return found.scope === 'admin' ? actor : { ...actor, sysadmin: false, limitedTo: found.scope };
}

/** Hashes of the secrets that are still valid. */
export const validSecrets = (call: Call, hashes: readonly string[]): Promise<ReadonlySet<string>> =>
  findValidSecrets(call.sql, hashes, call.request.now, oldestUse(call));

/** The earliest last use of a valid session; older sessions have expired. */
const oldestUse = ({ settings, request: { now } }: Call): Date =>
  new Date(now.getTime() - settings['catalog.session.idle_timeout'] * 1_000);

const cascading = ({ settings }: Call): readonly string[] => settings['catalog.auth.roles_that_cascade_to_sub_groups'];

const isDue = ({ request: { now } }: Call, usedAt: Date | null): boolean =>
  usedAt === null || now.getTime() - usedAt.getTime() > TOUCH_AFTER;

function actorOf(call: Call, found: IdentityRecord): Actor {
  const capacities = new Map<string, Capacity>();
  for (const [groupId, capacity] of found.capacities ?? []) {
    if (!RANK[capacity]) continue; // an unknown capacity grants nothing
    const before = capacities.get(groupId);
    if (!before || RANK[capacity]! > RANK[before]!) capacities.set(groupId, capacity as Capacity);
  }
  return { userId: found.id, name: found.name, sysadmin: found.sysadmin, address: call.actor.address, capacities };
}
