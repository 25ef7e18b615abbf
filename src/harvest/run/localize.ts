/** Adapts a source's record to this catalog: resolves references to local objects, and drops fields that are valid at the source only. */
import { byTextKey } from '../../kernel/dataset-fields.ts';
import { derivedId } from '../../kernel/ids.ts';
import { isObject } from '../../kernel/json.ts';
import type { Dictionary, RecordRunner } from '../../records/gateway.ts';
import { findById } from '../../records/locate.ts';
import { withTableAddresses, writable } from '../../records/record.ts';
import type { SourceItem } from '../reader.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { type RecordKind, resourcesElsewhere } from './known.store.ts';
import type { Known } from './known.ts';

/** Dependencies for adapting a record. */
export interface Localizer {
  readonly runner: RecordRunner;
  readonly source: SourceRecord;
  readonly known: Known;
  /** Writes an organization embedded in a dataset. */
  readonly put: (item: SourceItem) => Promise<unknown>;
  /** Organizations that are being written, by their id at the source. */
  readonly making: Map<string, Promise<unknown>>;
}

/** Dataset texts that become empty when the source omits them. */
const NO_TEXTS = {
  title: null,
  ...byTextKey(() => null),
};
/** Fields that this catalog computes or maintains. */
const NOT_OURS = ['relationships_as_subject', 'relationships_as_object', 'creator_user_id', 'users', 'packages'];

/** Maximum parents of an organization or group, because each is looked up. */
const MAX_PARENTS = 100;

interface Parents {
  readonly found: readonly Dictionary[];
  readonly missing: readonly string[];
}

const objectOf = async (localizer: Localizer, kind: RecordKind, recordId: unknown): Promise<string | null> =>
  typeof recordId === 'string' ? ((await localizer.known.find(kind, recordId))?.objectId ?? null) : null;

/** The adapted record. `stored` is the existing local object. */
export async function localized(
  localizer: Localizer,
  item: SourceItem,
  stored: Dictionary | null,
  parents: readonly Dictionary[] | null,
): Promise<Dictionary> {
  const given = Object.fromEntries(Object.entries(item.record).filter(([key]) => !NOT_OURS.includes(key)));
  if (item.kind !== 'dataset') {
    const { groups: _groups, ...own } = writable(item.kind, given);
    return { ...own, ...imageOf(given), ...(parents && Array.isArray(given.groups) && { groups: parents }) };
  }
  const { relationships_as_subject: _s, relationships_as_object: _o, ...whole } = writable('dataset', given);
  const record = {
    ...NO_TEXTS,
    ...whole,
    owner_org: localizer.source.organizationId ?? (await ownerOf(localizer, item.record)),
    groups: await groupsOf(localizer, given.groups),
    tags: await tagsOf(localizer, given.tags),
    resources: await resourcesOf(localizer, given.resources, stored),
    state: 'active',
  };
  return withTableAddresses(record, stored);
}

async function ownerOf(localizer: Localizer, { owner_org, organization }: Dictionary): Promise<string | null> {
  const id = isObject(organization) ? organization.id : owner_org;
  if (typeof id !== 'string' || id === '') return null;
  const owner = await objectOf(localizer, 'organization', id);
  if (owner !== null) return owner;
  if (!isObject(organization) || typeof organization.name !== 'string') return id; // the write refuses it with the reason
  const item: SourceItem = { kind: 'organization', id, name: organization.name, record: organization };
  let made = localizer.making.get(id); // datasets of one organization are written concurrently
  if (!made) localizer.making.set(id, (made = localizer.put(item).finally(() => localizer.making.delete(id))));
  await made;
  return objectOf(localizer, 'organization', id);
}

async function groupsOf(localizer: Localizer, groups: unknown): Promise<Dictionary[]> {
  const found = [];
  for (const group of (Array.isArray(groups) ? groups : []).filter(isObject)) {
    const id = await objectOf(localizer, 'group', group.id);
    if (id !== null) found.push({ id });
  }
  return found;
}

/** Parents of an organization or group: local ones, and the names of missing ones. */
export async function parentsOf(localizer: Localizer, { kind, record: { groups } }: SourceItem): Promise<Parents> {
  const kinds = kind === 'organization' ? (['organization', 'group'] as const) : (['group'] as const);
  const found: Dictionary[] = [];
  const missing: string[] = [];
  const given = (Array.isArray(groups) ? groups : []).filter(isObject);
  for (const above of given.slice(0, MAX_PARENTS)) {
    let parent: Dictionary | null = null;
    for (const one of kinds) {
      const id = parent ? null : await objectOf(localizer, one, above.id);
      if (id !== null) parent = await findById(localizer.runner, one, id);
    }
    if (parent) found.push({ id: parent.id, name: parent.name, capacity: above.capacity });
    else missing.push(String(above.name ?? above.id));
  }
  if (given.length > MAX_PARENTS) missing.push(`after the first ${MAX_PARENTS}`);
  return { found, missing };
}

async function tagsOf(localizer: Localizer, tags: unknown): Promise<Dictionary[]> {
  const found = [];
  for (const { name, vocabulary_id } of (Array.isArray(tags) ? tags : []).filter(isObject))
    found.push({ name, vocabulary_id: vocabulary_id ? await objectOf(localizer, 'vocabulary', vocabulary_id) : null });
  return found;
}

/** Replaces a resource id that belongs to another dataset. The new id is deterministic. */
async function resourcesOf(localizer: Localizer, resources: unknown, stored: Dictionary | null): Promise<unknown> {
  if (!Array.isArray(resources)) return [];
  const ids = resources.flatMap((resource) => (isObject(resource) && resource.id ? [String(resource.id)] : []));
  const taken = await resourcesElsewhere(localizer.runner.call().db, ids, stored ? String(stored.id) : null);
  return resources.map((resource: unknown) =>
    isObject(resource) && taken.has(String(resource.id))
      ? { ...resource, id: derivedId(localizer.source.id, String(resource.id)) }
      : resource,
  );
}

/** An image stored at the source needs its absolute URL. */
const imageOf = ({ image_url, image_display_url }: Dictionary): Dictionary =>
  typeof image_url === 'string' && !/^https?:/i.test(image_url) && typeof image_display_url === 'string'
    ? { image_url: image_display_url }
    : {};
