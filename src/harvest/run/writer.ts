/** Writes what a source gives: creates, changes, or leaves as it is; through the operations that everybody writes with. */

import { isNameFree } from '../../catalog/name/name.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { derivedId, newId } from '../../kernel/ids.ts';
import { isSame } from '../../transfer/importer.ts';
import { ACTIONS } from '../../transfer/kinds.ts';
import { type Dictionary, type Door, find, perform, plain } from '../../transfer/perform.ts';
import { isDictionary, writable } from '../../transfer/records.ts';
import type { SourceItem } from '../reader.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { isDatasetId, type KnownRecord, type RecordKind, resourcesElsewhere } from './known.store.ts';
import type { Known } from './known.ts';

/** That a dataset is related to another one, by the other's id at the source. */
export interface Relation {
  readonly other: string;
  readonly type: string;
  readonly comment: string;
}

export interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** How it is here otherwise than at the source. */
  readonly remark?: string;
  /** How it is related to others; left out where neither side says anything of that. */
  readonly relations?: readonly Relation[];
}

export interface Writer {
  /** @throws CatalogError for what cannot go in */
  put(item: SourceItem): Promise<Written>;
  /** Makes the vocabularies that are not here, and their tags. */
  putVocabulary(vocabulary: { id: string; name: string; tags: readonly string[] }): Promise<void>;
  /** Relates a dataset as the source says, as far as the others come from it too. Answers whether anything changed. */
  relate(recordId: string, relations: readonly Relation[]): Promise<boolean>;
  /** Marks what is no longer at the source deleted. Answers whether it was there. */
  retire(known: KnownRecord): Promise<boolean>;
}

interface Parts {
  readonly door: Door;
  readonly source: SourceRecord;
  readonly known: Known;
}

/** Texts of a dataset that are none where the source does not say them. */
const NO_TEXTS = {
  title: null,
  notes: null,
  url: null,
  version: null,
  author: null,
  author_email: null,
  maintainer: null,
  maintainer_email: null,
  license_id: null,
};
/** What a record holds and this catalog makes or keeps by itself. */
const NOT_OURS = ['relationships_as_subject', 'relationships_as_object', 'creator_user_id', 'users', 'packages'];

export function createWriter({ door, source, known }: Parts): Writer {
  const making = new Map<string, Promise<Written>>();
  const objectOf = async (kind: RecordKind, recordId: unknown): Promise<string | null> =>
    typeof recordId === 'string' ? ((await known.find(kind, recordId))?.objectId ?? null) : null;
  const within = (call: Call): Door => ({ ...door, call: () => call });

  const remember = (call: Call, { kind, id, name }: SourceItem, objectId: string, isOurs: boolean): Promise<void> =>
    known.put(call, { kind, recordId: id, recordName: name, objectId, isOurs, state: 'here' });
  return { put, putVocabulary, relate, retire };

  async function put(item: SourceItem): Promise<Written> {
    const before = await known.find(item.kind, item.id);
    const { show, hide } = ACTIONS[item.kind];
    const stored = before?.objectId ? await find(door, show, before.objectId, hide) : null;
    if (stored && before && !before.isOurs && stored.state !== 'deleted') return { outcome: 'unchanged' };
    const record = await localized(item, stored);
    const written = stored && before ? await change(item, record, stored, before) : await create(item, record, before);
    const relations = relationsOf(item.record);
    return relations.length > 0 || (stored && relationsOf(stored).length > 0) ? { ...written, relations } : written;
  }

  /** The record with what it names as it is called here. */
  async function localized(item: SourceItem, stored: Dictionary | null): Promise<Dictionary> {
    const given = Object.fromEntries(Object.entries(item.record).filter(([key]) => !NOT_OURS.includes(key)));
    if (item.kind !== 'dataset')
      return { ...writable(item.kind, given), ...imageOf(given), groups: await aboveOf(given) };
    const { relationships_as_subject: _s, relationships_as_object: _o, ...whole } = writable('dataset', given);
    return {
      ...NO_TEXTS,
      ...whole,
      owner_org: source.organizationId ?? (await ownerOf(item.record)),
      groups: await groupsOf(given.groups),
      tags: await tagsOf(given.tags),
      resources: await resourcesOf(given.resources, stored),
      state: 'active',
    };
  }

  async function ownerOf({ owner_org, organization }: Dictionary): Promise<string | null> {
    const id = isDictionary(organization) ? organization.id : owner_org;
    if (typeof id !== 'string' || id === '') return null;
    const owner = await objectOf('organization', id);
    if (owner !== null) return owner;
    if (!isDictionary(organization) || typeof organization.name !== 'string') return id; // refused, with the reason
    const item: SourceItem = { kind: 'organization', id, name: organization.name, record: organization };
    let made = making.get(id); // datasets of one organization come in at the same time
    if (!made) making.set(id, (made = put(item).finally(() => making.delete(id))));
    await made;
    return objectOf('organization', id);
  }

  async function groupsOf(groups: unknown): Promise<Dictionary[]> {
    const found = [];
    for (const group of (Array.isArray(groups) ? groups : []).filter(isDictionary)) {
      const id = await objectOf('group', group.id);
      if (id !== null) found.push({ id });
    }
    return found;
  }

  async function aboveOf({ groups, is_organization }: Dictionary): Promise<Dictionary[]> {
    const found = [];
    for (const above of (Array.isArray(groups) ? groups : []).filter(isDictionary)) {
      const id =
        (await objectOf('group', above.id)) ?? (is_organization ? await objectOf('organization', above.id) : null);
      const parent = id === null ? null : await find(door, is_organization ? 'organization_show' : 'group_show', id);
      if (parent) found.push({ id: parent.id, name: parent.name, capacity: above.capacity });
    }
    return found;
  }

  async function tagsOf(tags: unknown): Promise<Dictionary[]> {
    const found = [];
    for (const { name, vocabulary_id } of (Array.isArray(tags) ? tags : []).filter(isDictionary))
      found.push({ name, vocabulary_id: vocabulary_id ? await objectOf('vocabulary', vocabulary_id) : null });
    return found;
  }

  /** An id that is another dataset's is changed, always to the same. */
  async function resourcesOf(resources: unknown, stored: Dictionary | null): Promise<unknown> {
    if (!Array.isArray(resources)) return [];
    const ids = resources.flatMap((resource) => (isDictionary(resource) && resource.id ? [String(resource.id)] : []));
    const taken = await resourcesElsewhere(door.call().sql, ids, stored ? String(stored.id) : null);
    return resources.map((resource: unknown) =>
      isDictionary(resource) && taken.has(String(resource.id))
        ? { ...resource, id: derivedId(source.id, String(resource.id)) }
        : resource,
    );
  }

  async function create(item: SourceItem, record: Dictionary, before: KnownRecord | null): Promise<Written> {
    const here = await sameHere(item);
    if (here) {
      await remember(door.call(), item, String(here.id), source.settings.adopt === true);
      if (source.settings.adopt) return put(item);
      return { outcome: 'unchanged', remark: `is here already as ${here.name} and is left as it is` };
    }
    const id = before?.objectId ?? (await freeId(item));
    const name = await freeName(item.kind, String(record.name));
    const { id: _id, ...rest } = record;
    await inTransaction(door.call(), async (call) => {
      const made = await perform(within(call), ACTIONS[item.kind].create, {
        ...rest,
        name,
        ...(id !== null && { id }),
      });
      await remember(call, item, String(plain(made).id), true);
    });
    return {
      outcome: 'created',
      ...(name !== record.name && { remark: `is called ${name} here: ${record.name} is taken` }),
    };
  }

  /** Organizations and groups are found by their name; datasets only where the source is trusted with what is here already. */
  async function sameHere(item: SourceItem): Promise<Dictionary | null> {
    const { show, hide } = ACTIONS[item.kind];
    if (item.kind === 'dataset') return source.settings.adopt ? find(door, show, item.objectId ?? item.id, hide) : null;
    const found = (await find(door, show, item.id, hide)) ?? (await find(door, show, item.name, hide));
    return found && found.state !== 'deleted' ? found : null;
  }

  /** The id of the record where it is free and the caller may choose; null: one is made up. */
  async function freeId({ kind, id: recordId, objectId: id = recordId }: SourceItem): Promise<string | null> {
    const { actor, sql } = door.call();
    if (kind !== 'dataset') return (await find(door, ACTIONS[kind].show, id, ACTIONS[kind].hide)) ? newId() : id;
    if (!actor.sysadmin) return null;
    return (await isDatasetId(sql, id)) ? newId() : id;
  }

  /** The name, or with a number behind it. */
  async function freeName(kind: SourceItem['kind'], name: string): Promise<string> {
    for (let number = 2, free = name; ; number += 1) {
      if (
        number > 1_000 ||
        (await isNameFree(door.call(), { name: free, of: kind === 'dataset' ? 'DATASET' : 'GROUP' }))
      )
        return free;
      free = `${name.slice(0, 100 - String(number).length - 1)}-${number}`;
    }
  }

  async function change(
    item: SourceItem,
    record: Dictionary,
    stored: Dictionary,
    before: KnownRecord,
  ): Promise<Written> {
    const { change } = ACTIONS[item.kind];
    const renamed = before.recordName !== item.name && item.name !== stored.name;
    const name = renamed ? await freeName(item.kind, item.name) : stored.name;
    const target = { ...record, id: stored.id, name };
    const remark = renamed && name !== item.name ? { remark: `is called ${name} here: ${item.name} is taken` } : {};
    if (isSame(door, change, target, stored)) {
      if (before.recordName !== item.name || before.state !== 'here')
        await remember(door.call(), item, String(stored.id), true);
      return { outcome: 'unchanged' };
    }
    await inTransaction(door.call(), async (call) => {
      await perform(within(call), change, target);
      await remember(call, item, String(stored.id), true);
    });
    return { outcome: 'updated', ...remark };
  }

  async function putVocabulary({
    id,
    name,
    tags,
  }: {
    id: string;
    name: string;
    tags: readonly string[];
  }): Promise<void> {
    const before = await known.find('vocabulary', id);
    if (before && !before.isOurs) return;
    const wanted = tags.map((name) => ({ name }));
    const stored = await find(door, 'vocabulary_show', before?.objectId ?? name);
    const put = (call: Call, objectId: unknown, isOurs: boolean) =>
      known.put(call, {
        kind: 'vocabulary',
        recordId: id,
        recordName: name,
        objectId: String(objectId),
        isOurs,
        state: 'here',
      });
    if (stored && !before) return put(door.call(), stored.id, false);
    if (stored) {
      const names = (stored.tags as { name: string }[]).map((tag) => tag.name);
      if ([...tags].sort().join('\n') !== names.sort().join('\n'))
        await perform(door, 'vocabulary_update', { id: stored.id, tags: wanted });
      return;
    }
    await inTransaction(door.call(), async (call) => {
      const made = await perform(within(call), 'vocabulary_create', { name, tags: wanted });
      await put(call, plain(made).id, true);
    });
  }

  async function relate(recordId: string, relations: readonly Relation[]): Promise<boolean> {
    const subject = await known.find('dataset', recordId);
    const stored = subject?.objectId ? await find(door, 'package_show', subject.objectId) : null;
    if (!stored) return false;
    const wanted: Relation[] = [];
    for (const relation of relations) {
      const other = await known.find('dataset', relation.other);
      if (other?.objectId && other.state === 'here') wanted.push({ ...relation, other: other.objectId });
    }
    const present = relationsOf(stored);
    if (wanted.map(textOf).sort().join() === present.map(textOf).sort().join()) return false;
    const list = wanted.map(({ other, ...relation }) => ({ ...relation, object: other }));
    await perform(door, 'package_patch', { id: stored.id, relationships_as_subject: list });
    return true;
  }

  async function retire(gone: KnownRecord): Promise<boolean> {
    const stored = gone.objectId ? await find(door, 'package_show', gone.objectId) : null;
    const isThere = stored !== null && stored.state !== 'deleted';
    await inTransaction(door.call(), async (call) => {
      if (isThere && gone.isOurs) await perform(within(call), 'package_delete', { id: stored.id });
      const { sourceId: _source, writtenAt: _at, ...rest } = gone;
      await known.put(call, { ...rest, state: 'gone' });
    });
    return isThere && gone.isOurs;
  }
}

/** What a dataset's record says of others, as its subject. */
function relationsOf(record: Dictionary): Relation[] {
  const list = Array.isArray(record.relationships_as_subject) ? record.relationships_as_subject : [];
  return list.filter(isDictionary).flatMap(({ type, comment, object_package_id, __extras }) => {
    const other = object_package_id ?? (isDictionary(__extras) ? __extras.object_package_id : null);
    return typeof other === 'string' && typeof type === 'string'
      ? [{ other, type, comment: String(comment ?? '') }]
      : [];
  });
}

const textOf = (relation: Relation): string => JSON.stringify([relation.other, relation.type, relation.comment]);

/** An image that is kept at the source is found by its whole address only. */
const imageOf = ({ image_url, image_display_url }: Dictionary): Dictionary =>
  typeof image_url === 'string' && !/^https?:/i.test(image_url) && typeof image_display_url === 'string'
    ? { image_url: image_display_url }
    : {};
