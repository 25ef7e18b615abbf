/** Compares a document before and after a revision and makes the input of a patch from the differences. Pure. */

import { isDeepStrictEqual } from 'node:util';
import {
  CORE_KEYS,
  DATASET_TEXT_NAMES,
  RESOURCE_CORE_KEYS,
  RESOURCE_TEXT_NAMES,
} from '../../../kernel/dataset-fields.ts';
import type { Problem } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/json.ts';
import { truthOf } from '../../../kernel/text.ts';
import type { DatasetBody, ResourceBody } from '../../document/record.ts';
import type {
  DatasetInput,
  ExtraInput,
  GroupInput,
  RelationshipInput,
  ResourceInput,
  TagInput,
} from '../write/input.ts';

type Dict = Readonly<Record<string, unknown>>;
type Keys = Readonly<Record<string, string>>;

/** Text keys of documents and their input names. */
const TEXTS: Keys = {
  name: 'name',
  title: 'title',
  ...DATASET_TEXT_NAMES,
  state: 'state',
  owner_org: 'ownerOrganization',
};
/** Keys that are read separately, and keys that only the server sets. All others belong to the declared type. */
const OWN = new Set<string>(CORE_KEYS);
const RESOURCE_OWN = new Set<string>(RESOURCE_CORE_KEYS);

/** Collects problems while reading. */
class Reading {
  readonly problems: Problem[] = [];
  add(path: Problem['path'], message: string): undefined {
    this.problems.push({ path, message });
  }

  text(value: unknown, path: Problem['path']): string | null | undefined {
    if (value === undefined || value === null) return null;
    return typeof value === 'object' ? this.add(path, 'Must be a string') : String(value);
  }

  dicts(value: unknown, key: string): Dict[] {
    const isList = Array.isArray(value) && value.every(isObject);
    if (isList) return value;
    if (value !== undefined && value !== null) this.add([key], 'Must be a list of dictionaries');
    return [];
  }
}

/** Patch input and the document's problems. `withResources` always includes resources. */
export function inputOf(
  before: DatasetBody,
  after: Dict,
  withResources: boolean,
): { input: DatasetInput; problems: Problem[] } {
  const reading = new Reading();
  const differs = (key: string) => !isDeepStrictEqual(before[key] ?? null, after[key] ?? null);
  const input: Record<string, unknown> = {};
  for (const [key, name] of Object.entries(TEXTS)) if (differs(key)) input[name] = reading.text(after[key], [name]);
  // A missing or removed field keeps its value: a dataset becomes public only explicitly.
  if (differs('private') && (after.private ?? null) !== null)
    input.private = truthOf(after.private) ?? reading.add(['private'], 'Must be true or false');
  if (differs('tags')) input.tags = reading.dicts(after.tags, 'tags').map((tag, index) => tagOf(tag, index, reading));
  if (differs('extras')) input.extras = reading.dicts(after.extras, 'extras').map((it, i) => extraOf(it, i, reading));
  if (differs('groups'))
    input.groups = reading.dicts(after.groups, 'groups').map((it, i) => groupOf(it, i, before, reading));
  for (const [key, name, other] of LINKS)
    if (differs(key))
      input[name] = reading.dicts(after[key], name).map((it, i) => linkOf(it, other, [name, i], reading));
  if (withResources || differs('resources')) input.resources = resourcesOf(before, after, reading);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !OWN.has(key));
  input.fields = Object.fromEntries(fields.filter(differs).map((key) => [key, after[key] ?? null]));
  return { input, problems: reading.problems };
}

const LINKS = [
  ['relationships_as_subject', 'relationshipsAsSubject', 'object'],
  ['relationships_as_object', 'relationshipsAsObject', 'subject'],
] as const;

function resourcesOf(before: DatasetBody, after: Dict, reading: Reading): ResourceInput[] {
  const stored = new Map(before.resources.map((resource) => [resource.id, resource]));
  return reading.dicts(after.resources, 'resources').map((resource, index) => {
    const id = reading.text(resource.id, ['resources', index, 'id']);
    return resourceOf(resource, id ?? null, stored.get(id ?? ''), ['resources', index], reading);
  });
}

function resourceOf(
  after: Dict,
  id: string | null,
  before: ResourceBody | undefined,
  path: Problem['path'],
  reading: Reading,
): ResourceInput {
  const differs = (key: string) =>
    before ? !isDeepStrictEqual(before[key] ?? null, after[key] ?? null) : Object.hasOwn(after, key);
  const input: Record<string, unknown> = { databaseId: id };
  for (const [key, name] of Object.entries(RESOURCE_TEXT_NAMES))
    if (differs(key)) input[name] = reading.text(after[key], [...path, name]);
  if (differs('size')) input.size = sizeOf(after.size, [...path, 'size'], reading);
  input.extras = Object.fromEntries(Object.entries(after).filter(([key]) => !RESOURCE_OWN.has(key)));
  return input;
}

function sizeOf(size: unknown, path: Problem['path'], reading: Reading): number | null | undefined {
  if (size === undefined || size === null || size === '') return null;
  const number = typeof size === 'string' && /^\s*-?\d+\s*$/.test(size) ? Number(size) : size;
  return Number.isSafeInteger(number) ? (number as number) : reading.add(path, 'Invalid integer');
}

const tagOf = (tag: Dict, index: number, reading: Reading): TagInput => ({
  name: reading.text(tag.name, ['tags', index, 'name']) ?? '',
  vocabularyId: reading.text(tag.vocabulary_id, ['tags', index, 'vocabularyId']) ?? null,
});

const extraOf = (extra: Dict, index: number, reading: Reading): ExtraInput => ({
  key: reading.text(extra.key, ['extras', index, 'key']) ?? '',
  value:
    typeof extra.value === 'object' && extra.value !== null
      ? JSON.stringify(extra.value)
      : reading.text(extra.value, []),
});

/** A group by id, or by a name that replaces another group's. */
function groupOf(group: Dict, index: number, before: DatasetBody, reading: Reading): GroupInput {
  const id = reading.text(group.id, ['groups', index, 'id']);
  const name = reading.text(group.name, ['groups', index, 'name']);
  const renamed = name && before.groups.some((it) => it.id === id && it.name !== name);
  return id && !renamed ? { id } : { name };
}

function linkOf(link: Dict, other: 'subject' | 'object', path: Problem['path'], reading: Reading): RelationshipInput {
  const ends = (link.__extras ?? {}) as Dict;
  return {
    dataset: reading.text(link[other] ?? ends[`${other}_package_id`], [...path, 'dataset']) ?? '',
    type: reading.text(link.type, [...path, 'type']) ?? '',
    comment: reading.text(link.comment, [...path, 'comment']) ?? '',
  };
}
