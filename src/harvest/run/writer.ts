/** Creates or updates objects from source records, through the same operations as all clients. */

import { isNameFree } from '../../catalog/name/name.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isSame } from '../../transfer/importer.ts';
import { ACTIONS } from '../../transfer/kinds.ts';
import { findById, findByName } from '../../transfer/locate.ts';
import { type Partial, writeGoodPart } from '../../transfer/partial.ts';
import { type ActionRunner, type Dictionary, find, perform, plain } from '../../transfer/perform.ts';
import { kindOf, otherKindOf } from '../../transfer/recognize.ts';
import type { SourceItem } from '../reader.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { isDatasetId, type KnownRecord } from './known.store.ts';
import type { Known } from './known.ts';
import { createLocalizer } from './localize.ts';
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
  putVocabulary(vocabulary: { id: string; name: string; tags: readonly string[] }): Promise<void>;
  /** Marks an object deleted that was removed at the source. Returns whether it existed. */
  retire(known: KnownRecord): Promise<boolean>;
}

interface Parts {
  readonly runner: ActionRunner;
  readonly source: SourceRecord;
  readonly known: Known;
}

export function createWriter({ runner, source, known }: Parts): Writer {
  const within = (call: Call): ActionRunner => ({ ...runner, call: () => call });

  const remember = (call: Call, { kind, id, name }: SourceItem, objectId: string, isOurs: boolean): Promise<void> =>
    known.put(call, { kind, recordId: id, recordName: name, objectId, isOurs, state: 'here' });
  const { localized, parentsOf } = createLocalizer({ runner, source, known, put });
  return { put, putVocabulary, retire };

  async function put(item: SourceItem): Promise<Written> {
    const other = misplaced(item);
    if (other !== null) throw invalid([{ path: [], message: other }]);
    const before = await known.find(item.kind, item.id);
    const { show, hide } = ACTIONS[item.kind];
    const stored = before?.objectId ? await find(runner, show, before.objectId, hide) : null;
    if (stored && before && !before.isOurs && stored.state !== 'deleted') return { outcome: 'unchanged', remarks: [] };
    const above = item.kind === 'dataset' ? null : await parentsOf(item);
    const record = await localized(item, stored, above?.found ?? null);
    const write = (part: Dictionary): Promise<Outcome> =>
      stored && before ? change(item, part, stored, before) : create(item, part, before);
    const { result, remarks } = await goodPart(item, record, stored, write);
    const resources = item.kind === 'dataset' ? resourcesOf(item.record.resources, record.resources) : [];
    const isLeft = result.isLeft === true;
    const written = { resources: isLeft ? [] : resources, ...result, remarks: [...result.remarks, ...remarks] };
    if (item.kind !== 'dataset') return { ...written, missing: above?.missing ?? [] };
    const relations = relationsOf(item.record);
    return relations.length > 0 || (stored && relationsOf(stored).length > 0) ? { ...written, relations } : written;
  }

  async function goodPart(
    item: SourceItem,
    record: Dictionary,
    stored: Dictionary | null,
    write: (part: Dictionary) => Promise<Outcome>,
  ): Promise<Partial<Outcome>> {
    const isStrict = runner.call().settings['catalog.import.bad_resources'] === 'refuse';
    if (item.kind === 'dataset' && isStrict) return { result: await write(record), remarks: [] };
    return writeGoodPart(record, stored, write, runner.actions.nameOf);
  }

  async function create(item: SourceItem, record: Dictionary, before: KnownRecord | null): Promise<Outcome> {
    const here = await sameHere(item);
    if (here) {
      const isAdopted = source.settings.adopt === true && here.id === (item.objectId ?? item.id);
      await remember(runner.call(), item, String(here.id), isAdopted);
      if (isAdopted) return put(item);
      return { outcome: 'unchanged', isLeft: true, remarks: [`already exists as ${here.name}, and was not changed`] };
    }
    const id = before?.objectId ?? (await freeId(item));
    const name = await freeName(item.kind, String(record.name));
    const { id: _id, ...rest } = record;
    await inTransaction(runner.call(), async (call) => {
      const made = await perform(within(call), ACTIONS[item.kind].create, {
        ...rest,
        name,
        ...(id !== null && { id }),
      });
      await remember(call, item, String(plain(made).id), true);
    });
    return {
      outcome: 'created',
      remarks: name === record.name ? [] : [`was renamed to ${name}: ${record.name} is in use`],
    };
  }

  /** Finds organizations and groups by name. Finds datasets by name only when the source is trusted with existing ones. */
  async function sameHere(item: SourceItem): Promise<Dictionary | null> {
    if (item.kind === 'dataset')
      return source.settings.adopt ? findById(runner, 'dataset', item.objectId ?? item.id) : null;
    const found = (await findById(runner, item.kind, item.id)) ?? (await findByName(runner, item.kind, item.name));
    return found && found.state !== 'deleted' ? found : null;
  }

  /** The record's id when it is free and the caller may choose it; null: a new id is generated. */
  async function freeId({ kind, id: recordId, objectId: id = recordId }: SourceItem): Promise<string | null> {
    const { actor, db } = runner.call();
    if (kind !== 'dataset') return (await find(runner, ACTIONS[kind].show, id, ACTIONS[kind].hide)) ? newId() : id;
    if (!actor.sysadmin) return null;
    return (await isDatasetId(db, id)) ? newId() : id;
  }

  /** The name, with a number appended when taken. */
  async function freeName(kind: SourceItem['kind'], name: string): Promise<string> {
    for (let number = 2, free = name; ; number += 1) {
      if (
        number > 1_000 ||
        (await isNameFree(runner.call(), { name: free, of: kind === 'dataset' ? 'DATASET' : 'GROUP' }))
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
    const remarks = renamed && name !== item.name ? [`was renamed to ${name}: ${item.name} is in use`] : [];
    if (isSame(runner, change, target, stored)) {
      if (before.recordName !== item.name || before.state !== 'here')
        await remember(runner.call(), item, String(stored.id), true);
      return { outcome: 'unchanged', remarks: [] };
    }
    await inTransaction(runner.call(), async (call) => {
      await perform(within(call), change, target);
      await remember(call, item, String(stored.id), true);
    });
    return { outcome: 'updated', remarks };
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
    const requested = tags.map((name) => ({ name }));
    const stored = await find(runner, 'vocabulary_show', before?.objectId ?? name);
    const put = (call: Call, objectId: unknown, isOurs: boolean) =>
      known.put(call, {
        kind: 'vocabulary',
        recordId: id,
        recordName: name,
        objectId: String(objectId),
        isOurs,
        state: 'here',
      });
    if (stored && !before) return put(runner.call(), stored.id, false);
    if (stored) {
      const names = (stored.tags as { name: string }[]).map((tag) => tag.name);
      if ([...tags].sort().join('\n') !== names.sort().join('\n'))
        await perform(runner, 'vocabulary_update', { id: stored.id, tags: requested });
      return;
    }
    await inTransaction(runner.call(), async (call) => {
      const made = await perform(within(call), 'vocabulary_create', { name, tags: requested });
      await put(call, plain(made).id, true);
    });
  }

  async function retire(gone: KnownRecord): Promise<boolean> {
    const stored = gone.objectId ? await find(runner, 'package_show', gone.objectId) : null;
    const isThere = stored !== null && stored.state !== 'deleted';
    await inTransaction(runner.call(), async (call) => {
      if (isThere && gone.isOurs) await perform(within(call), 'package_delete', { id: stored.id });
      const { sourceId: _source, writtenAt: _at, ...rest } = gone;
      await known.put(call, { ...rest, state: 'gone' });
    });
    return isThere && gone.isOurs;
  }
}

/** Why a record is not of the declared kind; null when nothing contradicts it. */
function misplaced({ kind, record }: SourceItem): string | null {
  const hasKind = kind === 'dataset' || typeof record.is_organization === 'boolean';
  const other = otherKindOf(record) ?? (hasKind ? kindOf(record) : null);
  if (other === null || other === kind) return null;
  return `the source returned ${other.startsWith('a') ? other : `a record of kind ${other}`} in place of a record of kind ${kind}`;
}
