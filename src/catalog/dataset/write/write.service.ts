/** Every write of a dataset: check, draft, check again, rows, document, revision; in one transaction. */
import { type Call, inTransaction, withRequest } from '../../../kernel/call.ts';
import { allow, checkVersion, limitAt, notFound, type Problem, refuse } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { momentAfter, wireTime } from '../../../kernel/time.ts';
import { followFiles } from '../../../loading/ask/ask.service.ts';
import { indexEntry, prepareEntry } from '../../../search/index/index.service.ts';
import { type DatasetParts, type DatasetRow, projectDataset, type ResourceRow } from '../../document/project.ts';
import { DatasetRecord, isLinked } from '../../document/record.ts';
import { keepFile, type NewFile, releaseFiles } from '../../file/file.service.ts';
import { type FoundTags, findTags } from '../../tag/tag.service.ts';
import { followResources } from '../../view/default.service.ts';
import {
  mayAddToOrganization,
  mayCreateDataset,
  mayFileUnder,
  mayLeaveUnowned,
  maySetOwner,
  mayUpdateDataset,
} from '../dataset.policy.ts';
import { checkDataset, checkNewId, checkSameId, type OwnerFacts } from '../dataset.rules.ts';
import { findCollisions, lockDataset, lockGroups } from '../dataset.sql.ts';
import { loadParts } from '../dataset.store.ts';
import { draftRelationships, putRelationships, type RelationshipDraft } from '../relationships/write.service.ts';
import { checkFields } from '../types.ts';
import { type DatasetDraft, type DraftFacts, draftDataset, type Mode } from './dataset.draft.ts';
import type { ChangeDatasetInput, CreateDatasetInput, DatasetInput } from './input.ts';
import { extrasOf, recordWrite, tagsOf, writeRows } from './rows.service.ts';
import { writeDocument } from './write.sql.ts';

/** Creates a dataset. @throws CatalogError NOT_AUTHORIZED, VALIDATION, CONFLICT */
export function datasetCreate(call: Call, input: CreateDatasetInput): Promise<DatasetRecord> {
  allow(mayCreateDataset(call.actor, call.settings));
  return inTransaction(call, async (call) => {
    if (input.databaseId && !call.actor.sysadmin)
      refuse([{ path: ['databaseId'], message: 'The input field id was not expected.' }]);
    refuse(checkNewId(input.databaseId ?? ''));
    const prepared = await prepare(call, input, 'create', null);
    if (input.databaseId) prepared.draft.row.id = input.databaseId;
    if (input.isDraft) prepared.draft.row.state = 'draft';
    return write(call, prepared, null, input.message);
  });
}

/**
 * Replaces a dataset: omitted scalars stay, omitted lists become empty. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED,
 * VALIDATION, CONFLICT
 */
export const datasetReplace = (call: Call, input: ChangeDatasetInput): Promise<DatasetRecord> =>
  change(call, input, 'replace');

/** Changes only the fields in the input. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const datasetPatch = (call: Call, input: ChangeDatasetInput): Promise<DatasetRecord> =>
  change(call, input, 'patch');

/**
 * Moves a dataset to another organization, or to none; sysadmins only. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED,
 * VALIDATION, CONFLICT
 */
export function datasetSetOwner(
  call: Call,
  {
    dataset,
    ownerOrganization = null,
    expectedVersion = null,
  }: { dataset: string; ownerOrganization?: string | null; expectedVersion?: number | null },
): Promise<DatasetRecord> {
  allow(maySetOwner(call.actor));
  return changeDataset(call, dataset, expectedVersion, async (call, existing) => {
    const prepared = await prepare(call, { ownerOrganization }, 'patch', existing);
    return write(call, { ...prepared, owner: { isInInput: true, mayBeNone: true } }, existing);
  });
}

function change(call: Call, input: ChangeDatasetInput, mode: Mode): Promise<DatasetRecord> {
  return changeDataset(call, input.dataset, input.expectedVersion ?? null, async (call, existing) => {
    refuse(checkSameId(existing.dataset.id, input.databaseId));
    return write(call, await prepare(call, input, mode, existing), existing, input.message);
  });
}

/** Locks a dataset that the caller may update and passes its rows to `work`, in one transaction. */
export function changeDataset<T>(
  call: Call,
  idOrName: string,
  expectedVersion: number | null,
  work: (call: Call, existing: DatasetParts) => Promise<T>,
): Promise<T> {
  return inTransaction(call, async (call) => {
    const locked = await lockDataset(call.sql, idOrName);
    const [existing] = locked ? await loadParts(call.db, [locked.id]) : [];
    if (!locked || !existing) throw notFound('The dataset was not found.');
    allow(mayUpdateDataset(call.actor, existing.dataset, call.settings), idOrName);
    checkVersion('The dataset', locked.version, expectedVersion);
    return work(call, existing);
  });
}

/** Writes these resources of a dataset and leaves the rest unchanged. For the resource feature. */
export async function writeDatasetResources(
  call: Call,
  existing: DatasetParts,
  resources: DatasetDraft['resources'],
  problems: Problem[],
): Promise<DatasetRecord> {
  const prepared = await prepare(call, {}, 'patch', existing);
  return write(call, { ...prepared, draft: { ...prepared.draft, resources }, problems }, existing);
}

/** Applies a patch and gives resources their new files. Keys of the files are indexes of the input's list. */
export async function writeRevised(
  call: Call,
  existing: DatasetParts,
  input: DatasetInput,
  files: ReadonlyMap<number, NewFile>,
): Promise<DatasetRecord> {
  const prepared = await prepare(call, input, 'patch', existing, files);
  const dataset = await write(call, prepared, existing, input.message);
  for (const [index, file] of files) await keepFile(call, prepared.draft.resources[index]!.id, file);
  return dataset;
}

interface Prepared {
  draft: DatasetDraft;
  problems: Problem[];
  relationships: RelationshipDraft;
  owner: Pick<OwnerFacts, 'isInInput' | 'mayBeNone'>;
}

async function prepare(
  call: Call,
  input: DatasetInput,
  mode: Mode,
  existing: DatasetParts | null,
  uploads?: ReadonlyMap<number, NewFile>,
): Promise<Prepared> {
  const refs = [input.ownerOrganization, ...(input.groups ?? []).flatMap((group) => [group.id, group.name])];
  const groups = await lockGroups(
    call.sql,
    refs.filter((ref): ref is string => Boolean(ref)),
  );
  const now = momentAfter(call.request.now, existing?.dataset.modifiedAt);
  const facts: DraftFacts = {
    existing,
    groups,
    now,
    wireNow: wireTime(now),
    isUrlOptional: call.settings['catalog.resources.url_optional'],
    creatorId: call.actor.userId,
    newId,
    uploads,
    states: call.actor.sysadmin ? 'any' : existing ? 'named' : 'none',
  };
  const problems: Problem[] = [];
  const draft = draftDataset(input, mode, facts, problems);
  problems.push(...authorizeParts(call, input, draft, existing, groups));
  const owner = {
    isInInput: input.ownerOrganization !== undefined,
    // An unchanged owner is not checked again: unowned datasets may stay unowned.
    mayBeNone:
      mayLeaveUnowned(call.actor, call.settings) ||
      (existing !== null && existing.dataset.ownerOrganizationId === null),
  };
  return { draft, problems, relationships: await draftRelationships(call, input, problems, existing), owner };
}

/**
 * The caller must be allowed to add datasets to a new owner and to every newly named group. Only sysadmins may name
 * groups that do not exist. A new dataset for a foreign owner is refused; for an existing dataset it is a problem of
 * that field, as recorded. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND
 */
function authorizeParts(
  call: Call,
  input: DatasetInput,
  draft: DatasetDraft,
  existing: DatasetParts | null,
  groups: DraftFacts['groups'],
): Problem[] {
  const problems: Problem[] = [];
  const { ownerOrganizationId } = draft.row;
  if (existing === null && input.ownerOrganization && ownerOrganizationId === null)
    allow(mayAddToOrganization(call.actor, input.ownerOrganization));
  if (ownerOrganizationId !== null && ownerOrganizationId !== existing?.dataset.ownerOrganizationId) {
    const refusal = mayAddToOrganization(call.actor, ownerOrganizationId);
    if (existing === null) allow(refusal);
    else if (refusal !== null)
      problems.push({ path: ['ownerOrganization'], message: 'You cannot add a dataset to this organization' });
  }
  const named = (input.groups ?? []).flatMap(({ id, name }) => id || name || []);
  if (!call.actor.sysadmin && named.some((ref) => !groups.has(ref))) throw notFound('Group was not found.');
  const before = new Set(existing?.groups.map((group) => group.id));
  allow(
    mayFileUnder(
      call.actor,
      draft.groups.map((group) => group.id).filter((id) => !before.has(id)),
    ),
  );
  return problems;
}

async function write(
  call: Call,
  prepared: Prepared,
  existing: DatasetParts | null,
  message?: string | null,
): Promise<DatasetRecord> {
  const { draft, relationships } = prepared;
  const { newest, tags } = await check(call, prepared, existing);
  const entryOf = await prepareEntry(call);
  const revisionId = newId();
  const row = rowOf(call, draft, existing, revisionId, newest);
  const resources = numbered(draft, existing, row, revisionId);
  const lists = { tags: await tagsOf(call, draft, existing, tags), extras: extrasOf(draft, existing) };
  const rows = { row, resources, groups: draft.groups, ...lists };
  const written = writeRows(call.sql, rows, existing, revisionId);
  written.catch(() => {}); // awaited with the statements below, which the same packet sends if none runs between
  await releaseFiles(call, lostFiles(existing?.resources ?? [], resources));
  const links = await putRelationships(call, row.id, relationships, existing, revisionId);
  const body = projectDataset(
    { dataset: row, resources, organization: draft.organization, groups: draft.groups, ...lists, ...links },
    call.settings['catalog.site_url'],
  );
  const entry = entryOf(body); // before the statements: if it threw between them, their failures would have no handler
  const [, , text] = await Promise.all([
    written,
    recordWrite(withRequest(call, { now: row.modifiedAt }), rows, existing, revisionId, message),
    writeDocument(call.sql, row, revisionId, body),
    followResources(call, existing?.resources ?? [], resources),
    followFiles(call, existing?.resources ?? [], resources),
    indexEntry(call, entry),
  ]);
  return new DatasetRecord({
    dataset_id: row.id,
    name: row.name,
    state: row.state,
    private: row.private,
    owner_organization_id: row.ownerOrganizationId,
    creator_id: row.creatorId,
    version: row.version,
    linked: isLinked(body),
    document: text,
  });
}

/** Resources whose file was removed, or that were removed or became links. */
function lostFiles(before: readonly ResourceRow[], after: readonly ResourceRow[]): string[] {
  const has = new Set(after.filter(({ urlType }) => urlType === 'upload').map(({ id }) => id));
  return before.filter(({ id, urlType }) => urlType === 'upload' && !has.has(id)).map(({ id }) => id);
}

/**
 * The dataset's own row. Its time is later than that of every earlier revision, even if the machine's clock runs back.
 * Its revision changes only with its own fields, as clients expect: resources have their own revisions.
 */
function rowOf(
  call: Call,
  { row }: DatasetDraft,
  existing: DatasetParts | null,
  revisionId: string,
  newest: Date | null,
): DatasetRow {
  const modifiedAt = momentAfter(momentAfter(call.request.now, existing?.dataset.modifiedAt), newest);
  const written = {
    modifiedAt,
    version: (existing?.dataset.version ?? 0) + 1,
    ...(!existing && row.createdAt.getTime() === call.request.now.getTime() && { createdAt: modifiedAt }),
  };
  const before = existing && { ...existing.dataset, ...written };
  const after = { ...row, ...written, revisionId: before?.revisionId ?? revisionId };
  return before && fingerprint(before) === fingerprint(after) ? after : { ...after, revisionId };
}

/** Ruling 17. @throws CatalogError LIMIT */
function checkTagCount(call: Call, count: number): void {
  const max = call.settings['catalog.limits.tags'];
  if (count <= max) return;
  throw limitAt('tags', `At most ${max} tags (catalog.limits.tags)`);
}

/**
 * Checks the draft and reports all problems at once. Returns the time of the newest revision and the ids of existing tags.
 * @throws CatalogError VALIDATION, LIMIT
 */
async function check(
  call: Call,
  { draft, problems, owner }: Prepared,
  existing: DatasetParts | null,
): Promise<{ newest: Date | null; tags: FoundTags['ids'] }> {
  checkTagCount(call, draft.tags?.length ?? 0);
  const { fields, problems: typed } = checkFields(call.settings, draft.row.type, draft.row.fields);
  draft.row.fields = fields;
  const stored = new Set((existing?.resources ?? []).map(({ id }) => id));
  const newResources = draft.resources.map(({ id }) => id).filter((id) => !stored.has(id));
  const [collisions, tags] = await Promise.all([
    findCollisions(call.sql, draft.row.name, existing ? null : draft.row.id, newResources),
    findTags(call, draft.tags ?? []),
  ]);
  const refused = problems.some(({ path }) => path[0] === 'ownerOrganization');
  refuse([...problems, ...typed, ...checkDataset(draft, collisions, { ...owner, refused }), ...tags.problems]);
  return { newest: collisions.newest, tags: tags.ids };
}

/** Resources with positions; only rows that differ from the stored ones carry the new revision. */
function numbered(
  draft: DatasetDraft,
  existing: DatasetParts | null,
  row: DatasetRow,
  revisionId: string,
): ResourceRow[] {
  const stored = new Map((existing?.resources ?? []).map((resource) => [resource.id, resource]));
  return draft.resources.map((resource, position) => {
    const before = stored.get(resource.id);
    const after: ResourceRow = {
      ...resource,
      datasetId: row.id,
      position,
      revisionId: before?.revisionId ?? revisionId,
      version: before?.version ?? 1,
    };
    return before && fingerprint(before) === fingerprint(after) ? before : { ...after, revisionId };
  });
}

const fingerprint = ({ version: _version, ...row }: ResourceRow | DatasetRow): string =>
  JSON.stringify(
    Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)),
    (_key, value) => (typeof value === 'bigint' ? value.toString() : value),
  );
