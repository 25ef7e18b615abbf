/** Makes the draft of a dataset from the input and the stored rows. Pure: facts are passed in, problems are collected. */
import { byTextField, DATASET_TEXT_FIELDS } from '../../../kernel/dataset-fields.ts';
import { notFound, type Problem } from '../../../kernel/errors.ts';
import type { DatasetParts, DatasetRow, GroupRow } from '../../document/project.ts';
import type { DatasetInput } from './input.ts';
import type { FileFacts } from './resource.address.ts';
import { draftResource, type ResourceDraft } from './resource.draft.ts';

/** The dataset after the write. A list that is null keeps the stored list. */
export interface DatasetDraft {
  row: Omit<DatasetRow, 'modifiedAt' | 'revisionId' | 'version'>;
  resources: ResourceDraft[];
  tags: { name: string; vocabularyId: string | null }[] | null;
  extras: { key: string; value: string | null | undefined }[] | null;
  groups: GroupRow[];
  organization: GroupRow | null;
}

export interface DraftFacts {
  /** The stored dataset; null for a new one. */
  readonly existing: DatasetParts | null;
  /** Active groups and organizations that the input names, by id and by name. */
  readonly groups: ReadonlyMap<string, GroupRow>;
  readonly now: Date;
  readonly wireNow: string;
  readonly creatorId: string | null;
  readonly newId: () => string;
  /** New files, by the index of their resource in the input. */
  readonly uploads?: ReadonlyMap<number, FileFacts> | undefined;
  readonly isUrlOptional?: boolean;
  /** none: ignored. named: active, draft and deleted. any: any text. */
  readonly states: 'none' | 'named' | 'any';
}

/** patch: omitted lists stay; otherwise they become empty. */
export type Mode = 'create' | 'replace' | 'patch';

/** States that updaters of a dataset may set; sysadmins set any text, as recorded. */
const STATES = ['active', 'draft', 'deleted'];

export function draftDataset(input: DatasetInput, mode: Mode, facts: DraftFacts, problems: Problem[]): DatasetDraft {
  const { existing } = facts;
  const organization = ownerOf(input, facts, problems);
  const row = draftRow(input, facts, problems);
  row.ownerOrganizationId = organization?.id ?? null;
  row.fields =
    mode === 'patch' ? { ...(row.fields as object), ...(input.fields as object | null) } : (input.fields ?? {});
  const keep = mode === 'patch';
  return {
    row,
    organization,
    resources: input.resources ? draftResources(input, facts, problems) : keep ? (existing?.resources ?? []) : [],
    tags: input.tags
      ? input.tags.map((tag) => ({ name: tag.name, vocabularyId: tag.vocabularyId || null }))
      : keep
        ? null
        : [],
    extras: withSet(
      input.extras ? input.extras.map(({ key, value }) => ({ key, value })) : keep ? null : [],
      input,
      facts,
    ),
    groups: input.groups ? groupsOf(input, facts) : keep ? (existing?.groups ?? []) : [],
  };
}

/** The extras, with `setExtras` merged into them. */
function withSet(extras: DatasetDraft['extras'], { setExtras }: DatasetInput, { existing }: DraftFacts) {
  if (!setExtras?.length) return extras;
  const keys = new Set(setExtras.map(({ key }) => key));
  const others = (extras ?? existing?.extras ?? []).filter(({ key }) => !keys.has(key));
  return [...others, ...setExtras.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]))];
}

function draftRow(
  input: DatasetInput,
  { existing, now, creatorId, newId, states }: DraftFacts,
  problems: Problem[],
): DatasetDraft['row'] {
  const before = existing?.dataset;
  const row: DatasetDraft['row'] = {
    id: before?.id ?? newId(),
    name: before?.name ?? '',
    title: before?.title ?? '',
    ...byTextField((_key, field) => before?.[field] ?? null),
    type: before?.type ?? 'dataset',
    state: before?.state ?? 'active',
    private: before?.private ?? false,
    ownerOrganizationId: before?.ownerOrganizationId ?? null,
    creatorId: before ? before.creatorId : creatorId,
    createdAt: before?.createdAt ?? now,
    fields: before?.fields ?? {},
  };
  for (const key of DATASET_TEXT_FIELDS) if (input[key] !== undefined) row[key] = input[key];
  if (input.name !== undefined) row.name = input.name ?? '';
  if (input.title !== undefined) row.title = input.title ?? '';
  if (row.title === '') row.title = row.name;
  if (input.type && !before) row.type = input.type; // a dataset keeps the type it was created with
  if (input.private !== undefined) row.private = input.private ?? false;
  if (states !== 'none' && input.state !== undefined && input.state !== null) {
    if (states === 'any' || STATES.includes(input.state)) row.state = input.state;
    else problems.push({ path: ['state'], message: `Must be one of ${STATES.join(', ')}` });
  }
  return row;
}

/** The owner after the write: undefined keeps it, null and empty text remove it. @throws CatalogError NOT_FOUND for a group */
function ownerOf(input: DatasetInput, { existing, groups }: DraftFacts, problems: Problem[]): GroupRow | null {
  if (input.ownerOrganization === undefined) return existing?.organization ?? null;
  if (!input.ownerOrganization) return null;
  const found = groups.get(input.ownerOrganization);
  if (!found) problems.push({ path: ['ownerOrganization'], message: 'Organization does not exist' });
  else if (!found.isOrganization) throw notFound('Organization was not found.'); // a group's name, as recorded
  return found ?? null;
}

/** Existing groups, each once. An id matches only ids and a name only names. */
function groupsOf(input: DatasetInput, { groups }: DraftFacts): GroupRow[] {
  const found = (input.groups ?? []).flatMap((requested) => {
    const group = groups.get(requested.id ?? requested.name ?? '');
    const fits =
      group && !group.isOrganization && (requested.id ? group.id === requested.id : group.name === requested.name);
    return fits ? [[group.id, group] as const] : [];
  });
  return [...new Map(found).values()];
}

function draftResources(input: DatasetInput, facts: DraftFacts, problems: Problem[]): ResourceDraft[] {
  const stored = new Map((facts.existing?.resources ?? []).map((resource) => [resource.id, resource]));
  const isUrlOptional = facts.isUrlOptional ?? false;
  return (input.resources ?? []).map(({ id, ...given }, index) => {
    const resource = { ...given, databaseId: id ?? given.databaseId };
    const existing = resource.databaseId ? stored.get(resource.databaseId) : undefined;
    const upload = facts.uploads?.get(index);
    // The whole resource was read and is written back: its media type describes the previous file.
    const isOld = upload !== undefined && resource.mimetype === existing?.mimetype;
    return draftResource(
      isOld ? { ...resource, mimetype: undefined } : resource,
      { existing, extras: 'replace', newId: facts.newId, now: facts.wireNow, upload, isUrlOptional },
      ['resources', index],
      problems,
    );
  });
}
