/** Strips records of catalog-specific values, so that two catalogs with the same content export the same records. Pure. */
import { isObject } from '../kernel/json.ts';
import { compareText } from '../kernel/text.ts';
import type { Dictionary } from './gateway.ts';

/** Removed at any depth: revisions, local timestamps, users, table load states, and counts, which include datasets outside the export. */
const OWN = new Set([
  'revision_id',
  'metadata_created',
  'metadata_modified',
  'creator_user_id',
  'users',
  'num_followers',
  'package_count',
  'datastore_active',
  'tracking_summary',
]);

/** `vocabularies`: names by ids. Sorts keys, because a rewritten document may order them differently. */
export const portable = (record: Dictionary, vocabularies: ReadonlyMap<string, string>): Dictionary =>
  sorted(common(record, vocabularies)) as Dictionary;

function common(record: Dictionary, vocabularies: ReadonlyMap<string, string>): Dictionary {
  const { created: _created, ...rest } = without(record) as Dictionary;
  return {
    ...rest,
    ...(isObject(rest.organization) && { organization: undated(rest.organization) }),
    ...(Array.isArray(rest.groups) && { groups: rest.groups.map(undated) }),
    ...(Array.isArray(rest.tags) && { tags: rest.tags.map((tag: unknown) => tagOf(tag, vocabularies)) }),
    ...(Array.isArray(rest.extras) && { extras: rest.extras.map(extraOf) }),
    ...(Array.isArray(rest.relationships_as_subject) && {
      relationships_as_subject: links(rest.relationships_as_subject),
    }),
    ...(Array.isArray(rest.relationships_as_object) && {
      relationships_as_object: links(rest.relationships_as_object),
    }),
  };
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (OWN.has(key) ? [] : [[key, without(item)] as const])),
  );
}

/** Removes the local creation time of a group or organization. For a resource, the publisher sets it. */
function undated(group: unknown): unknown {
  if (!isObject(group)) return group;
  const { created: _created, groups, ...rest } = group;
  return { ...rest, ...(Array.isArray(groups) && { groups: groups.map(undated) }) };
}

function tagOf(tag: unknown, vocabularies: ReadonlyMap<string, string>): unknown {
  if (!isObject(tag)) return tag;
  const { id: _id, ...rest } = tag;
  return { ...rest, vocabulary_id: vocabularies.get(String(tag.vocabulary_id)) ?? null };
}

const extraOf = (extra: unknown): unknown => (isObject(extra) ? { key: extra.key, value: extra.value } : extra);

const links = (list: readonly unknown[]): unknown[] =>
  list
    .map((link) => (isObject(link) ? { ...link, id: undefined } : link))
    .sort((a, b) => compareText(JSON.stringify(a), JSON.stringify(b)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort(compareText);
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
