import { type Lock, tryLock } from '../../infra/postgres/advisory-lock.ts';
import { newId } from '../../kernel/ids.ts';
import { reasonOf } from '../../records/import/importer.ts';
import type { SourceItem } from '../reader.ts';
import { goneAtMost } from '../source/source.service.ts';
import { setReadUntil } from '../source/source.store.ts';
import { SourceError } from '../web.ts';
import { type Relation, relate } from './relations.ts';
import { retiring } from './retire.rules.ts';
import { countRun, finishRun, insertRun, OUTCOMES, type RunRecord, stopOtherRuns } from './run.store.ts';
import { createWork, type HarvestOptions, one, put, remark, several, type Work } from './work.ts';

/** Another run of this source is in progress. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

/** Maximum ms of one run. */
const MAX_DURATION = 12 * 60 * 60_000;

/** Runs to completion. An unreadable source results in a failed run. @throws AlreadyRunning */
export async function harvest(options: HarvestOptions): Promise<RunRecord> {
  const { runner, source, databaseUrl } = options;
  const lock = await tryLock(databaseUrl, `harvest ${source.id}`);
  if (!lock) throw new AlreadyRunning(`${source.name} is already being harvested.`);
  try {
    const {
      db,
      request: { now },
    } = runner.call();
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
    const {
      db,
      process: { meter },
      request: { now },
    } = runner.call();
    meter.add('catalog_harvest_runs_total', [source.kind, state]);
    for (const outcome of OUTCOMES) meter.add('catalog_harvest_records_total', [outcome], work.counts[outcome]);
    await countRun(db, run.id, work.counts);
    await work.marks.end();
    return (
      (await finishRun(db, run.id, { state, finishedAt: now, message })) ?? { ...run, ...work.counts, state, message }
    );
  };
  try {
    // Without its key, the source would not show private datasets, and they would be deleted here.
    if (source.apiKey !== null && runner.call().secrets.secretBox.open(source.apiKey) === null)
      throw new SourceError('The API key cannot be decrypted, because the site secret has changed. Enter it again.');
    await all(work);
    return await end('done', null);
  } catch (thrown) {
    if (options.signal?.aborted) return end('stopped', 'The run was stopped.');
    const isExpected = thrown instanceof SourceError || isEnd(thrown);
    if (!isExpected) runner.call().process.log.error({ err: thrown, source: source.name }, 'harvest run failed');
    return end('failed', isExpected ? (thrown as Error).message : reasonOf(thrown));
  }
}

/** Aborted by the signal: timeout, or the lock was lost. */
const isEnd = (thrown: unknown): boolean =>
  thrown instanceof Error && ['AbortError', 'TimeoutError'].includes(thrown.name);

async function all(work: Work): Promise<void> {
  await work.marks.begin();
  if (work.source.organizationId === null) await surroundings(work);
  await changed(work);
  const isListed = await work.reader.list();
  await missed(work);
  for await (const { record, detail } of work.marks.each('related')) {
    work.signal.throwIfAborted();
    await one(work, record, () =>
      relate({ runner: work.runner, known: work.known }, record, JSON.parse(detail!) as Relation[]),
    );
  }
  await work.tables?.copy();
  if (isListed) await gone(work);
}

/** Imports the organizations, groups and vocabularies that datasets refer to. */
async function surroundings(work: Work): Promise<void> {
  if (work.runner.call().actor.sysadmin)
    for (const vocabulary of await work.reader.vocabularies()) {
      work.signal.throwIfAborted();
      await one(work, vocabulary.name, () => work.writer.putVocabulary(vocabulary), 'vocabulary');
    }
  const waiting: SourceItem[] = []; // never more than the reader buffers
  for await (const item of work.reader.groups()) {
    work.signal.throwIfAborted();
    if ((await put(work, item)).length > 0) waiting.push(item);
  }
  for (const item of waiting) {
    work.signal.throwIfAborted();
    for (const parent of await put(work, item))
      await remark(
        work,
        item.kind,
        item.id,
        item.name,
        `its parent ${parent} does not exist in this catalog; no parent was set`,
        false,
      );
  }
}

/** Imports changes since the last run. Written records stay, even when the run ends early. */
async function changed(work: Work): Promise<void> {
  for await (const page of work.reader.datasets(work.full ? null : work.source.readUntil)) {
    work.total ??= page.total;
    for (const { id, message } of page.faults ?? []) await remark(work, 'dataset', id, id, message, true);
    await several(work, page.items, async (item) => void (await put(work, item)));
    const { db } = work.runner.call();
    await countRun(db, work.run.id, work.counts);
    // A future timestamp is an error of the source. Storing it would skip all changes until then.
    const began = work.run.startedAt.toISOString().slice(0, 23); // in the timestamp format of sources
    if (page.readUntil !== null) await setReadUntil(db, work.source.id, [page.readUntil, began].sort()[0]!);
  }
}

/** Retries listed records that were never imported, and failed ones. */
async function missed(work: Work): Promise<void> {
  await work.marks.want();
  await several(work, work.marks.each('wanted'), async ({ record: idOrName }) => {
    const item = await work.reader.show(idOrName);
    if (item && !(await work.marks.has('met', item.id))) await put(work, item);
  });
}

/**
 * Deletes imported datasets that the source no longer has. Verifies each with a request, because a list may be truncated or older than a
 * rename.
 */
async function gone(work: Work): Promise<void> {
  const { known, suspects } = await work.marks.suspect();
  const refused = retiring(suspects, known, goneAtMost(work.source));
  if (refused !== null && !work.force) throw new SourceError(refused);
  for await (const record of work.marks.suspects()) {
    work.signal.throwIfAborted();
    const item = await work.reader.show(record.recordId);
    if (item?.id !== record.recordId) continue;
    await work.marks.drop('suspect', record.recordId);
    await put(work, item);
  }
  // Deletes only after all were verified: when one cannot be verified, none is deleted.
  for await (const record of work.marks.suspects()) {
    work.signal.throwIfAborted();
    await one(work, record.recordName, async () => {
      if (await work.writer.retire(record)) work.counts.deleted += 1;
    });
  }
}
