/** What records name by the ids of another catalog, found here: organizations, groups and users. */
import type { App } from '../../app.ts';
import { ACTIONS, type GroupKind } from './kinds.ts';
import { type Dictionary, find, perform } from './perform.ts';
import { isDictionary, writable } from './records.ts';

/** Puts the ids of this catalog into records. Remembers what it found, so one is made per import. */
export interface References {
  /** A dataset's organization and groups; those that are not here are made from what the record embeds. */
  ofDataset(record: Dictionary): Promise<Dictionary>;
  /** An organization's or group's members; users that are not here are left out. */
  ofGroup(record: Dictionary): Promise<Dictionary>;
}

export function createReferences(app: App): References {
  const known = new Map<string, Promise<Dictionary | null>>();

  return { ofDataset, ofGroup };

  async function ofDataset(record: Dictionary): Promise<Dictionary> {
    const owner = isDictionary(record.organization) ? await once('organization', record.organization) : null;
    const named = owner && isDictionary(record.organization) && record.owner_org === record.organization.id;
    const given = Array.isArray(record.groups) ? record.groups.filter(isDictionary) : [];
    const groups = [];
    for (const group of given) groups.push(idOf(await once('group', group)) ?? group);
    return { ...record, groups, ...(named && { owner_org: owner.id }) };
  }

  async function ofGroup(record: Dictionary): Promise<Dictionary> {
    if (!Array.isArray(record.users)) return record;
    const users = [];
    for (const member of record.users.filter(isDictionary)) {
      const user = await once('user', member);
      if (user) users.push({ name: user.name, capacity: member.capacity });
    }
    return { ...record, users };
  }

  function once(kind: GroupKind | 'user', named: Dictionary): Promise<Dictionary | null> {
    const key = JSON.stringify([kind, named.id, named.name]);
    let found = known.get(key);
    if (!found) {
      found = kind === 'user' ? findUser(named) : findOrMake(kind, named);
      found.catch(() => known.delete(key)); // the next record that names it tries again
      known.set(key, found);
    }
    return found;
  }

  async function findUser(named: Dictionary): Promise<Dictionary | null> {
    return (await find(app, 'user_show', named.id)) ?? find(app, 'user_show', named.name);
  }

  /** One that is here under its id or name stays as it is. A bare reference makes nothing: whether it leads anywhere is the write's question. */
  async function findOrMake(kind: GroupKind, named: Dictionary): Promise<Dictionary | null> {
    const { show, hide, create } = ACTIONS[kind];
    const found = (await find(app, show, named.id, hide)) ?? (await find(app, show, named.name, hide));
    if (found || typeof named.name !== 'string' || typeof named.title !== 'string') return found;
    return (await perform(app, create, writable(kind, named))) as Dictionary;
  }
}

const idOf = (found: Dictionary | null): Dictionary | null => found && { id: found.id };
