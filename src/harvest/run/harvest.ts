/**
 * One harvest run: imports changed records page by page, and deletes datasets removed at the source. Every write stores its origin, so the
 * next run continues an interrupted one.
 */
import type { ClaimRecord } from '../../datastore/tables/claim.store.ts';
import { type Lock, tryLock } from '../../infra/postgres/advisory-lock.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { reasonOf } from '../../transfer/importer.ts';
import type { ActionRunner } from '../../transfer/perform.ts';
import { createCkanReader } from '../ckan/reader.ts';
import { createDcatReader } from '../dcat/reader.ts';
import type { Reader, SourceItem } from '../reader.ts';
import { goneAtMost, perSecond } from '../source/source.service.ts';
import { type SourceRecord, setReadUntil } from '../source/source.store.ts';
import { createWeb, SourceError, type WebOptions } from '../web.ts';
import { putKnown } from './known.store.ts';
import { createKnown } from './known.ts';
import { createMarks, type Marks } from './marks.ts';
import { type Relation, relate } from './relations.ts';
import { retiring } from './retire.rules.ts';
import {
  type Counts,
  countRun,
  finishRun,
  insertRemark,
  insertRun,
  OUTCOMES,
  type RunRecord,
  stopOtherRuns,
} from './run.store.ts';
import { createTables } from './tables.ts';
import { createWriter } from './writer.ts';

export interface HarvestOptions {
  readonly runner: ActionRunner;
  readonly source: SourceRecord;
  /** URL of the catalog's database, for the lock. */
  readonly databaseUrl: string;
  /** Read everything, not only changes. */
  readonly full?: boolean;
  /** Apply deletions regardless of their share. */
  readonly force?: boolean;
  /** Whether private networks and the local host are allowed targets. */
  readonly mayReachPrivate: boolean;
  readonly signal?: AbortSignal;
  /** ms before the first retry of a busy source; doubles with every retry. */
  readonly pause?: number;
  /** `total`: datasets at the source, null while unknown. */
  readonly onProgress?: (done: number, total: number | null) => void;
  readonly onRemark?: (line: string) => void;
}

/** Another run of this source is in progress. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/** Datasets written concurrently. */
const PARALLEL = 4;
/** Maximum stored remarks of a run; counting continues. */
const MAX_REMARKS = 10_000;
/** Maximum ms of one run. */
const MAX_DURATION = 12 * 60 * 60_000;

/** Runs to completion. An unreadable source results in a failed run. @throws AlreadyRunning */
export async function harvest(options: HarvestOptions): Promise<RunRecord> {
  const { runner, source, databaseUrl } = options;
  const lock = await tryLock(databaseUrl, `harvest ${source.id}`);
  if (!lock) throw new AlreadyRunning(`${source.name} is already being harvested.`);
  try {
    const { db, now } = runner.call();
    await stopOtherRuns(db, source.id, now);
    const run = await insertRun(db, newId(), source.id, now);
    return await under(lock, run, options);
  } finally {
    await lock.release();
  }
}

async function under(lock: Lock, run: RunRecord, options: HarvestOptions): Promise<RunRecord> {
  const { runner, source } = options;
  const signals = [lock.lost, AbortSignal.timeout(MAX_DURATION), ...(options.signal ? [options.signal] : [])];
  const work = createWork(run, AbortSignal.any(signals), options);
  const end = async (state: 'done' | 'failed' | 'stopped', message: string | null) => {
    const { db, now } = runner.call();
    await countRun(db, run.id, work.counts);
    await work.forget();
    return (
      (await finishRun(db, run.id, { state, finishedAt: now, message })) ?? { ...run, ...work.counts, state, message }
    );
  };
  try {
    await work.all();
    return await end('done', null);
  } catch (thrown) {
    if (options.signal?.aborted) return end('stopped', 'The run was stopped.');
    const isExpected = thrown instanceof SourceError || isEnd(thrown);
    if (!isExpected) runner.call().log.error({ err: thrown, source: source.name }, 'harvest run failed');
    return end('failed', isExpected ? (thrown as Error).message : reasonOf(thrown, runner.actions));
  }
}

/** Aborted by the signal: timeout, or the lock was lost. */
const isEnd = (thrown: unknown): boolean =>
  thrown instanceof Error && ['AbortError', 'TimeoutError'].includes(thrown.name);

function createWork(run: RunRecord, signal: AbortSignal, options: HarvestOptions) {
  const { runner, source, full = false, force = false, onProgress = () => {}, onRemark = () => {} } = options;
  const known = createKnown(() => runner.call(), source.id);
  const writer = createWriter({ runner, source, known });
  const marks = createMarks(() => runner.call(), { runId: run.id, sourceId: source.id });
  const reader = readerOf(runner.call(), options, marks, signal);
  const tables =
    reader.tables && createTables({ runner, source, reader: reader.tables, signal, full, remark: remarkTable });
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Counts;
  /** In the timestamp format of sources. */
  const began = run.startedAt.toISOString().slice(0, 23);
  let remarks = 0;
  let total: number | null = null;

  return { counts, all, forget: marks.end };

  async function all(): Promise<void> {
    await marks.begin();
    if (source.organizationId === null) await surroundings();
    await changed();
    const isListed = await reader.list();
    await missed();
    for await (const { record, detail } of marks.each('related')) {
      signal.throwIfAborted();
      await one(record, () => relate({ runner, known }, record, JSON.parse(detail!) as Relation[]));
    }
    await tables?.copy();
    if (isListed) await gone();
  }

  function remarkTable({ recordId }: ClaimRecord, message: string, isFault: boolean): Promise<void> {
    return remark('resource', recordId, recordId, message, isFault);
  }

  /** Imports the organizations, groups and vocabularies that datasets refer to. */
  async function surroundings(): Promise<void> {
    if (runner.call().actor.sysadmin)
      for (const vocabulary of await reader.vocabularies()) {
        signal.throwIfAborted();
        await one(vocabulary.name, () => writer.putVocabulary(vocabulary), 'vocabulary');
      }
    const waiting: SourceItem[] = []; // never more than the reader buffers
    for await (const item of reader.groups()) {
      signal.throwIfAborted();
      if ((await put(item)).length > 0) waiting.push(item);
    }
    for (const item of waiting) {
      signal.throwIfAborted();
      for (const parent of await put(item))
        await remark(
          item.kind,
          item.id,
          item.name,
          `its parent ${parent} does not exist in this catalog; no parent was set`,
          false,
        );
    }
  }

  /** Imports changes since the last run. Written records stay, even when the run ends early. */
  async function changed(): Promise<void> {
    for await (const page of reader.datasets(full ? null : source.readUntil)) {
      total ??= page.total;
      for (const { id, message } of page.faults ?? []) await remark('dataset', id, id, message, true);
      await several(page.items, async (item) => void (await put(item)));
      const { db } = runner.call();
      await countRun(db, run.id, counts);
      // A future timestamp is an error of the source. Storing it would skip all changes until then.
      if (page.readUntil !== null) await setReadUntil(db, source.id, [page.readUntil, began].sort()[0]!);
    }
  }

  /** Retries listed records that were never imported, and failed ones. */
  async function missed(): Promise<void> {
    await marks.want();
    await several(marks.each('wanted'), async ({ record: idOrName }) => {
      const item = await reader.show(idOrName);
      if (item && !(await marks.has('met', item.id))) await put(item);
    });
  }

  /**
   * Deletes imported datasets that the source no longer has. Verifies each with a request, because a list may be truncated or older than a
   * rename.
   */
  async function gone(): Promise<void> {
    const { known, suspects } = await marks.suspect();
    const refused = retiring(suspects, known, goneAtMost(source));
    if (refused !== null && !force) throw new SourceError(refused);
    for await (const record of marks.suspects()) {
      signal.throwIfAborted();
      const item = await reader.show(record.recordId);
      if (item?.id !== record.recordId) continue;
      await marks.drop('suspect', record.recordId);
      await put(item);
    }
    // Deletes only after all were verified: when one cannot be verified, none is deleted.
    for await (const record of marks.suspects()) {
      signal.throwIfAborted();
      await one(record.recordName, async () => {
        if (await writer.retire(record)) counts.deleted += 1;
      });
    }
  }

  /** Writes a record and reports the outcome. Returns the names of missing parents. */
  async function put(item: SourceItem): Promise<readonly string[]> {
    let missing: readonly string[] = [];
    if (item.kind === 'dataset') await marks.set('met', [item.id]);
    try {
      const written = await writer.put(item);
      if (item.kind === 'dataset') counts[written.outcome] += 1;
      if (written.resources?.length) await tables?.note(written.resources);
      if (written.relations) await marks.put('related', item.id, JSON.stringify(written.relations));
      for (const said of written.remarks) await remark(item.kind, item.id, item.name, said, false);
      missing = written.missing ?? [];
    } catch (thrown) {
      await failed(item, thrown);
    }
    if (item.kind === 'dataset')
      onProgress(
        Object.values(counts).reduce((sum, count) => sum + count, 0),
        total,
      );
    return missing;
  }

  async function failed({ kind, id, name }: SourceItem, thrown: unknown): Promise<void> {
    const { db, now } = runner.call();
    const before = await known.find(kind, id);
    const unmade = { sourceId: source.id, kind, recordId: id, objectId: null, isOurs: true };
    await putKnown(db, { ...unmade, ...before, recordName: name, state: 'failed', writtenAt: now });
    await remark(kind, id, name, reasonOf(thrown, runner.actions), true);
  }

  /** Runs work on one record. Reports its failure without stopping the run. */
  async function one(name: string, work: () => Promise<void>, kind = 'dataset'): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      await remark(kind, name, name, reasonOf(thrown, runner.actions), true);
    }
  }

  async function remark(
    kind: string,
    recordId: string,
    recordName: string,
    message: string,
    isFault: boolean,
  ): Promise<void> {
    if (isFault) counts.failed += 1;
    remarks += 1;
    const number = remarks; // concurrent writers increment it during this one
    const [id, name, said] = [recordId, recordName, message].map(sayable) as [string, string, string];
    onRemark(`${kind} ${name}${name === id ? '' : ` (${id})`}: ${said}`);
    if (number <= MAX_REMARKS)
      await insertRemark(runner.call().db, {
        runId: run.id,
        number,
        isFault,
        kind,
        recordId: id,
        recordName: name,
        message: said,
      });
  }

  /** Processes items with limited concurrency. */
  async function several<T>(items: readonly T[] | AsyncGenerator<T>, work: (item: T) => Promise<void>): Promise<void> {
    const left = Array.isArray(items) ? items.values() : (items as AsyncGenerator<T>);
    const worker = async () => {
      for await (const item of left) {
        signal.throwIfAborted();
        await work(item);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  }
}

/** Text of a source, safe to store and to print on one line. */
const sayable = (text: string): string => text.slice(0, 2_000).replace(/\p{Cc}+/gu, ' ');

function readerOf(
  call: Call,
  { source, mayReachPrivate, pause }: HarvestOptions,
  marks: Marks,
  signal: AbortSignal,
): Reader {
  const key = source.apiKey === null ? null : call.secretBox.open(source.apiKey);
  const anonymous: WebOptions = {
    source: source.url,
    perSecond: perSecond(source),
    mayReachPrivate,
    signal,
    ...(pause !== undefined && { pause }),
  };
  const web = createWeb({ ...anonymous, ...(key !== null && { headers: { authorization: key } }) });
  if (source.kind === 'ckan')
    return createCkanReader(web, source.url, marks, key === null ? null : createWeb(anonymous));
  const own = call.settings['catalog.locale_default'].toLowerCase().split(/[-_]/)[0]!;
  return createDcatReader({ web, marks, url: source.url, sourceId: source.id, languages: [...new Set([own, 'en'])] });
}
