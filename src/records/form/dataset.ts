/** Converts dataset and resource dictionaries to the graph's inputs. Checks forms and names; the service checks values. */

import type {
  DatasetGroupInput,
  DatasetRelationshipInput,
  DatasetTagInput,
  ExtraInput,
  ResourceInput,
  UpdateDatasetInput,
} from '../../generated/operations.ts';
import { CORE_KEYS, DATASET_TEXT_NAMES, RESOURCE_CORE_KEYS, RESOURCE_TEXT_NAMES } from '../../kernel/dataset-fields.ts';
import { invalid, type Problem } from '../../kernel/errors.ts';
import { asFlag, asText, dictionaries, type Raw, splitAtCommas } from './readers.ts';

type Fields = Omit<UpdateDatasetInput, 'dataset' | 'expectedVersion'>;

/** Text fields of a dataset: wire → graph. */
export const DATASET_TEXTS = {
  name: 'name',
  title: 'title',
  ...DATASET_TEXT_NAMES,
  type: 'type',
  state: 'state',
  owner_org: 'ownerOrganization',
  log_message: 'message',
} as const;

/** Text fields of a resource: wire → graph. */
const RESOURCE_TEXTS = { id: 'databaseId', ...RESOURCE_TEXT_NAMES } as const;

/** Server-owned keys, and lists that are read separately: never fields of a declared type. */
const NOT_FIELDS = new Set<string>([
  ...CORE_KEYS,
  'log_message',
  'tag_string',
  'revision_timestamp',
  'tracking_summary',
  '__extras',
  '__junk',
  'callback',
]);
const NOT_EXTRAS = new Set<string>([
  ...RESOURCE_CORE_KEYS,
  'revision_timestamp',
  'tracking_summary',
  'extras',
  '__extras',
  '__junk',
  'callback',
  'webstore_active',
]);

/** A dataset dictionary as input fields. @throws CatalogError VALIDATION for values that are not lists */
export function datasetFields(raw: Raw): Fields {
  const problems: Problem[] = [];
  const fields: Record<string, unknown> = texts(raw, DATASET_TEXTS);
  if ('private' in raw) fields.private = asFlag(raw.private);
  const list = (key: string) => dictionaries(raw, key, problems);
  const tags = tagList(list('tags'), raw.tag_string, problems);
  if (tags) fields.tags = tags;
  fields.extras = list('extras')?.map(extra);
  fields.groups = list('groups')?.map((group): DatasetGroupInput => texts(group, { id: 'id', name: 'name' }));
  fields.resources = list('resources')?.map((resource, index) =>
    resourceFields(resource, ['resources', index], problems),
  );
  fields.relationshipsAsSubject = list('relationships_as_subject')?.map((item) => relationship(item, 'object'));
  fields.relationshipsAsObject = list('relationships_as_object')?.map((item) => relationship(item, 'subject'));
  fields.fields = rest(raw, NOT_FIELDS);
  if (problems.length > 0) throw invalid(problems);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** A resource dictionary as input fields. Unknown keys become extras (ruling 8). */
export function resourceFields(raw: Raw, path: Problem['path'] = [], problems?: Problem[]): ResourceInput {
  const found: Problem[] = problems ?? [];
  const fields: Record<string, unknown> = texts(raw, RESOURCE_TEXTS);
  if (raw.size === null || raw.size === '') fields.size = null;
  else if (raw.size !== undefined) {
    const size = typeof raw.size === 'number' || /^\s*-?\d+\s*$/.test(asText(raw.size)) ? Number(raw.size) : Number.NaN;
    if (Number.isSafeInteger(size)) fields.size = size;
    else found.push({ path: [...path, 'size'], message: 'Invalid integer' });
  }
  const extras = rest(raw, NOT_EXTRAS);
  if (Object.keys(extras).length > 0) fields.extras = extras;
  if (!problems && found.length > 0) throw invalid(found);
  return fields as ResourceInput;
}

function texts(raw: Raw, names: Readonly<Record<string, string>>): Record<string, string | null> {
  const read: Record<string, string | null> = {};
  for (const [wire, name] of Object.entries(names)) {
    if (Object.hasOwn(raw, wire)) read[name] = raw[wire] === null ? null : asText(raw[wire]);
  }
  return read;
}

/** Tags from the list and from `tag_string` ("a, b"). Omits dictionaries without a name, as clients expect. */
function tagList(
  tags: readonly Raw[] | undefined,
  tagString: unknown,
  problems: Problem[],
): DatasetTagInput[] | undefined {
  const named = namedTags(tags).map((tag) => ({
    name: asText(tag.name),
    vocabularyId: tag.vocabulary_id == null ? null : asText(tag.vocabulary_id),
  }));
  if (tagString === undefined || tagString === null) return tags && named;
  if (typeof tagString !== 'string' && !Array.isArray(tagString)) {
    problems.push({ path: ['tag_string'], message: 'Must be a string of tags separated by commas' });
    return named;
  }
  const names = typeof tagString === 'string' ? splitAtCommas(tagString) : tagString.map(asText);
  return [...named, ...names.filter(Boolean).map((name) => ({ name, vocabularyId: null }))];
}

const namedTags = (tags: readonly Raw[] | undefined): Raw[] =>
  (tags ?? []).filter((tag: Raw | null) => tag?.name != null); // problems are reported before all items are known to be dictionaries

/** Problems of tags from `tag_string`. By the contract, only the first is reported, under that key. */
export function tagStringProblems(problems: readonly Problem[], { tags, tag_string }: Raw): Problem[] {
  if (tag_string === undefined) return [...problems];
  const listed = Array.isArray(tags) ? namedTags(tags).length : 0;
  const isInString = ({ path: [key, index] }: Problem) =>
    key === 'tags' && typeof index === 'number' && index >= listed;
  const first = problems.find(isInString);
  const others = problems.filter((problem) => !isInString(problem));
  return first ? [...others, { path: ['tag_string'], message: first.message }] : others;
}

function extra(raw: Raw): ExtraInput {
  const value = raw.deleted !== undefined && asFlag(raw.deleted) ? null : raw.value;
  return {
    key: raw.key == null ? '' : asText(raw.key),
    ...(value === undefined ? {} : { value: value === null ? null : asText(value) }),
  };
}

/** The other dataset, by name, id or full dictionary. */
const relationship = (raw: Raw, other: string): DatasetRelationshipInput => ({
  dataset: asText(
    raw[other] ?? raw[`${other}_package_id`] ?? (raw.__extras as Raw | null)?.[`${other}_package_id`] ?? '',
  ),
  type: asText(raw.type ?? ''),
  comment: asText(raw.comment ?? ''),
});

const rest = (raw: Raw, known: ReadonlySet<string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(raw).filter(([key]) => !known.has(key)));
