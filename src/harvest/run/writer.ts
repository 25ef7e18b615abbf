/** Creates or updates objects from source records, through the same operations as all clients. */

import { isNameFree } from '../../catalog/name/name.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import {
  changeRecord,
  createRecord,
  createVocabulary,
  type Dictionary,
  deleteDataset,
  findRecord,
  findVocabulary,
  type RecordRunner,
  replaceTags,
} from '../../records/gateway.ts';
import { isSame } from '../../records/import/importer.ts';
import { type Partial, writeGoodPart } from '../../records/import/partial.ts';
import { kindOf, otherKindOf } from '../../records/import/recognize.ts';
import { findById, findByName } from '../../records/locate.ts';
import type { SourceItem, SourceVocabulary } from '../reader.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { isDatasetId, type KnownRecord } from './known.store.ts';
import type { Known } from './known.ts';
import { type Localizer, localized, parentsOf } from './localize.ts';
import { type Relation, relationsOf } from './relations.ts';
import { type CopiedResource, resourcesOf } from './tables.ts';

export interface Written {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  /** Differences from the source, one line each. */
  readonly remarks: readonly string[];
  /** Names of parents that do not exist here (yet). */
  readonly missing?: readonly string[];
  /** Resources of a written or unchanged dataset. */
  readonly resources?: readonly CopiedResource[];
  /** Relationships; undefined when neither side has any. */
  readonly relations?: readonly Relation[];
}

interface Outcome extends Written {
  /** Whether it has another owner here and is skipped. */
  readonly isLeft?: boolean;
}

export interface Writer {
  /** @throws CatalogError when the record is refused */
  put(item: SourceItem): Promise<Written>;
  /** Creates missing vocabularies and tags. */
  putVocabulary(vocabulary: SourceVocabulary): Promise<void>;
  /** Marks an object deleted that was removed at the source. Returns whether it existed. */
  retire(known: KnownRecord): Promise<boolean>;
}

interface Parts {
  readonly runner: RecordRunner;
  readonly source: SourceRecord;
  readonly known: Known;
}

interface Writing extends Parts {
  readonly localizer: Localizer;
}

export function createWriter(parts: Parts): Writer {
  const writing: Writing = {
    ...parts,
    localizer: { ...parts, making: new Map(), put: (item) => put(writing, item) },
  };
  return {
    put: (item) => put(writing, item),
    putVocabulary: (vocabulary) => putVocabulary(writing, vocabulary),
    retire: (gone) => retire(writing, gone),
  };
}

const within = (writing: Writing, call: Call): RecordRunner => ({ ...writing.runner, call: () => call });

const remember = (
  writing: Writing,
  call: Call,
  { kind, id, name }: SourceItem,
  objectId: string,
  isOurs: boolean,
): Promise<void> => writing.known.put(call, { kind, recordId: id, recordName: name, objectId, isOurs, state: 'here' });

async function put(writing: Writing, item: SourceItem): Promise<Written> {
  const other = misplaced(item);
  if (other !== null) throw invalid([{ path: [], message: other }]);
  const before = await writing.known.find(item.kind, item.id);
  const stored = await findRecord(writing.runner, item.kind, before?.objectId);
  if (stored && before && !before.isOurs && stored.state !== 'deleted') return { outcome: 'unchanged', remarks: [] };
  const above = item.kind === 'dataset' ? null : await parentsOf(writing.localizer, item);
  const record = await localized(writing.localizer, item, stored, above?.found ?? null);
  const write = (part: Dictionary): Promise<Outcome> =>
    stored && before ? change(writing, item, part, stored, before) : create(writing, item, part, before);
  const { result, remarks } = await goodPart(writing, item, record, stored, write);
  const resources = item.kind === 'dataset' ? resourcesOf(item.record.resources, record.resources) : [];
  const isLeft = result.isLeft === true;
  const written = { resources: isLeft ? [] : resources, ...result, remarks: [...result.remarks, ...remarks] };
  if (item.kind !== 'dataset') return { ...written, missing: above?.missing ?? [] };
  const relations = relationsOf(item.record);
  return relations.length > 0 || (stored && relationsOf(stored).length > 0) ? { ...written, relations } : written;
}

async function goodPart(
  writing: Writing,
  item: SourceItem,
  record: Dictionary,
  stored: Dictionary | null,
  write: (part: Dictionary) => Promise<Outcome>,
): Promise<Partial<Outcome>> {
  const isStrict = writing.runner.call().settings['catalog.import.bad_resources'] === 'refuse';
  if (item.kind === 'dataset' && isStrict) return { result: await write(record), remarks: [] };
  return writeGoodPart(record, stored, write);
}

async function create(
  writing: Writing,
  item: SourceItem,
  record: Dictionary,
  before: KnownRecord | null,
): Promise<Outcome> {
  const here = await sameHere(writing, item);
  if (here) {
    const isAdopted = writing.source.settings.adopt === true && here.id === (item.objectId ?? item.id);
    await remember(writing, writing.runner.call(), item, String(here.id), isAdopted);
    if (isAdopted) return put(writing, item);
    return { outcome: 'unchanged', isLeft: true, remarks: [`already exists as ${here.name}, and was not changed`] };
  }
  const id = before?.objectId ?? (await freeId(writing, item));
  const name = await freeName(writing, item.kind, String(record.name));
  const { id: _id, ...rest } = record;
  await inTransaction(writing.runner.call(), async (call) => {
    const made = await createRecord(within(writing, call), item.kind, {
      ...rest,
      name,
      ...(id !== null && { id }),
    });
    await remember(writing, call, item, made, true);
  });
  return {
    outcome: 'created',
    remarks: name === record.name ? [] : [`was renamed to ${name}: ${record.name} is in use`],
  };
}

/** Finds organizations and groups by id or name, and datasets by id if the source adopts existing ones. */
async function sameHere(writing: Writing, item: SourceItem): Promise<Dictionary | null> {
  if (item.kind === 'dataset')
    return writing.source.settings.adopt ? findById(writing.runner, 'dataset', item.objectId ?? item.id) : null;
  const found =
    (await findById(writing.runner, item.kind, item.id)) ?? (await findByName(writing.runner, item.kind, item.name));
  return found && found.state !== 'deleted' ? found : null;
}

/** The record's id when it is free and the caller may choose it; null: a new id is generated. */
async function freeId(
  writing: Writing,
  { kind, id: recordId, objectId: id = recordId }: SourceItem,
): Promise<string | null> {
  const { actor, db } = writing.runner.call();
  if (kind !== 'dataset') return (await findRecord(writing.runner, kind, id)) ? newId() : id;
  if (!actor.sysadmin) return null;
  return (await isDatasetId(db, id)) ? newId() : id;
}

/** The name, with a number appended when taken. */
async function freeName(writing: Writing, kind: SourceItem['kind'], name: string): Promise<string> {
  for (let number = 2, free = name; ; number += 1) {
    if (
      number > 1_000 ||
      (await isNameFree(writing.runner.call(), { name: free, of: kind === 'dataset' ? 'DATASET' : 'GROUP' }))
    )
      return free;
    free = `${name.slice(0, 100 - String(number).length - 1)}-${number}`;
  }
}

async function change(
  writing: Writing,
  item: SourceItem,
  record: Dictionary,
  stored: Dictionary,
  before: KnownRecord,
): Promise<Written> {
  const renamed = before.recordName !== item.name && item.name !== stored.name;
  const name = renamed ? await freeName(writing, item.kind, item.name) : stored.name;
  const target = { ...record, id: stored.id, name };
  const remarks = renamed && name !== item.name ? [`was renamed to ${name}: ${item.name} is in use`] : [];
  if (isSame(writing.runner, item.kind, target, stored)) {
    if (before.recordName !== item.name || before.state !== 'here')
      await remember(writing, writing.runner.call(), item, String(stored.id), true);
    return { outcome: 'unchanged', remarks: [] };
  }
  await inTransaction(writing.runner.call(), async (call) => {
    await changeRecord(within(writing, call), item.kind, target);
    await remember(writing, call, item, String(stored.id), true);
  });
  return { outcome: 'updated', remarks };
}

async function putVocabulary(writing: Writing, { id, name, tags }: SourceVocabulary): Promise<void> {
  const before = await writing.known.find('vocabulary', id);
  if (before && !before.isOurs) return;
  const stored = await findVocabulary(writing.runner, before?.objectId ?? name);
  const put = (call: Call, objectId: unknown, isOurs: boolean) =>
    writing.known.put(call, {
      kind: 'vocabulary',
      recordId: id,
      recordName: name,
      objectId: String(objectId),
      isOurs,
      state: 'here',
    });
  if (stored && !before) return put(writing.runner.call(), stored.id, false);
  if (stored) {
    const names = stored.tags.map((tag) => tag.name);
    if ([...tags].sort().join('\n') !== names.sort().join('\n')) await replaceTags(writing.runner, stored.id, tags);
    return;
  }
  await inTransaction(writing.runner.call(), async (call) => {
    await put(call, await createVocabulary(within(writing, call), name, tags), true);
  });
}

async function retire(writing: Writing, gone: KnownRecord): Promise<boolean> {
  const stored = await findRecord(writing.runner, 'dataset', gone.objectId);
  const isThere = stored !== null && stored.state !== 'deleted';
  await inTransaction(writing.runner.call(), async (call) => {
    if (isThere && gone.isOurs) await deleteDataset(within(writing, call), String(stored.id));
    const { sourceId: _source, writtenAt: _at, ...rest } = gone;
    await writing.known.put(call, { ...rest, state: 'gone' });
  });
  return isThere && gone.isOurs;
}

/** Why a record is not of the declared kind; null when nothing contradicts it. */
function misplaced({ kind, record }: SourceItem): string | null {
  const hasKind = kind === 'dataset' || typeof record.is_organization === 'boolean';
  const other = otherKindOf(record) ?? (hasKind ? kindOf(record) : null);
  if (other === null || other === kind) return null;
  return `the source returned ${other.startsWith('a') ? other : `a record of kind ${other}`} in place of a record of kind ${kind}`;
}
