/** Resolves references in records by another catalog's ids: organizations, groups, users and, by name, vocabularies. */

import { isObject } from '../../kernel/json.ts';
import { createRecord, type Dictionary, findUser, findVocabulary, type RecordRunner } from '../gateway.ts';
import type { GroupKind } from '../kinds.ts';
import { findById, findByName } from '../locate.ts';
import { writable } from '../record.ts';

/** Replaces foreign ids by local ones. Caches results, so create one per import. */
export interface References {
  /**
   * Resolves a dataset's organization and groups. Creates missing ones from the data embedded in the record. A vocabulary may be given by
   * name.
   */
  ofDataset(record: Dictionary): Promise<Dictionary>;
  /** Resolves an organization's or group's members. Omits unknown users. */
  ofGroup(record: Dictionary): Promise<Dictionary>;
}

export function createReferences(runner: RecordRunner): References {
  const known = new Map<string, Promise<Dictionary | null>>();

  return { ofDataset, ofGroup };

  async function ofDataset(record: Dictionary): Promise<Dictionary> {
    const owner = await ownerOf(record);
    const given = Array.isArray(record.groups) ? record.groups.filter(isObject) : [];
    const groups = [];
    for (const group of given) groups.push(idOf(await once('group', group)) ?? group);
    const tags = Array.isArray(record.tags) ? { tags: await Promise.all(record.tags.map(tagOf)) } : {};
    return { ...record, groups, ...tags, ...(owner && { owner_org: owner.id }) };
  }

  /** Leaves the tag unchanged when no vocabulary is found, so that the write reports the problem. */
  async function tagOf(tag: unknown): Promise<unknown> {
    if (!isObject(tag) || typeof tag.vocabulary_id !== 'string') return tag;
    const vocabulary = await once('vocabulary', { id: tag.vocabulary_id });
    return vocabulary ? { ...tag, vocabulary_id: vocabulary.id } : tag;
  }

  /** The organization of `owner_org`: the one embedded in the record, or the one with that id or name. */
  async function ownerOf({ organization, owner_org: owner }: Dictionary): Promise<Dictionary | null> {
    const embedded = isObject(organization) ? organization : null;
    const found = embedded && (await once('organization', embedded));
    if (embedded && owner === embedded.id) return found;
    return typeof owner === 'string' && owner !== '' ? once('organization', { id: owner, name: owner }) : null;
  }

  async function ofGroup(record: Dictionary): Promise<Dictionary> {
    if (!Array.isArray(record.users)) return record;
    const users = [];
    for (const member of record.users.filter(isObject)) {
      const user = await once('user', member);
      if (user) users.push({ name: user.name, capacity: member.capacity });
    }
    return { ...record, users };
  }

  function once(kind: GroupKind | 'user' | 'vocabulary', named: Dictionary): Promise<Dictionary | null> {
    const key = JSON.stringify([kind, named.id, named.name]);
    let found = known.get(key);
    if (!found) {
      found = findAny(kind, named);
      found.catch(() => known.delete(key)); // the next record that names it tries again
      known.set(key, found);
    }
    return found;
  }

  async function findAny(kind: GroupKind | 'user' | 'vocabulary', named: Dictionary): Promise<Dictionary | null> {
    if (kind === 'vocabulary') return findVocabulary(runner, named.id);
    if (kind === 'user') return (await findUser(runner, named.id)) ?? findUser(runner, named.name);
    return findOrMake(kind, named);
  }

  /** Leaves an object with this id or name unchanged. A bare reference creates nothing; the write validates it. */
  async function findOrMake(kind: GroupKind, named: Dictionary): Promise<Dictionary | null> {
    const found = (await findById(runner, kind, named.id)) ?? (await findByName(runner, kind, named.name));
    if (found || typeof named.name !== 'string' || typeof named.title !== 'string') return found;
    return { id: await createRecord(runner, kind, writable(kind, named)) };
  }
}

const idOf = (found: Dictionary | null): Dictionary | null => found && { id: found.id };
