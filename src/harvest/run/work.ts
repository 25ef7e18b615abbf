/** The parts of a harvest run, and what its steps share: writing one record, and remarks. */
import type { ClaimRecord } from '../../datastore/tables/claim.store.ts';
import type { Call } from '../../kernel/call.ts';
import type { RecordRunner } from '../../records/gateway.ts';
import { reasonOf } from '../../records/import/importer.ts';
import { createCkanReader } from '../ckan/reader.ts';
import { createDcatReader } from '../dcat/reader.ts';
import type { Reader, SourceItem } from '../reader.ts';
import { perSecond } from '../source/source.service.ts';
import type { SourceRecord } from '../source/source.store.ts';
import { createWeb, type WebOptions } from '../web.ts';
import { putKnown } from './known.store.ts';
import type { Known } from './known.ts';
import { createKnown } from './known.ts';
import { createMarks, type Marks } from './marks.ts';
import { type Counts, insertRemark, OUTCOMES, type RunRecord } from './run.store.ts';
import type { Tables } from './tables.ts';
import { createTables } from './tables.ts';
import type { Writer } from './writer.ts';
import { createWriter } from './writer.ts';

export interface HarvestOptions {
  readonly runner: RecordRunner;
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

/** Datasets written concurrently. */
const PARALLEL = 4;
/** Maximum stored remarks of a run; counting continues. */
const MAX_REMARKS = 10_000;
/** One run in progress. Every remark of it is counted, and stored for the page of the run. */
export interface Work extends Pick<HarvestOptions, 'runner' | 'source' | 'full' | 'force' | 'onProgress' | 'onRemark'> {
  readonly run: RunRecord;
  readonly signal: AbortSignal;
  readonly known: Known;
  readonly writer: Writer;
  readonly marks: Marks;
  readonly reader: Reader;
  readonly tables: Tables | null;
  readonly counts: Counts;
  remarks: number;
  total: number | null;
}

export function createWork(run: RunRecord, signal: AbortSignal, options: HarvestOptions): Work {
  const { runner, source, full = false } = options;
  const call = () => runner.call();
  const known = createKnown(call, source.id);
  const marks = createMarks(call, { runId: run.id, sourceId: source.id });
  const reader = readerOf(call(), options, marks, signal);
  const remarkTable = ({ recordId }: ClaimRecord, message: string, isFault: boolean) =>
    remark(work, 'resource', recordId, recordId, message, isFault);
  const work: Work = {
    ...options,
    run,
    signal,
    known,
    writer: createWriter({ runner, source, known }),
    marks,
    reader,
    tables: reader.tables
      ? createTables({ runner, source, reader: reader.tables, signal, full, remark: remarkTable })
      : null,
    counts: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Counts,
    remarks: 0,
    total: null,
  };
  return work;
}

/** Writes a record and reports the outcome. Returns the names of missing parents. */
export async function put(work: Work, item: SourceItem): Promise<readonly string[]> {
  let missing: readonly string[] = [];
  if (item.kind === 'dataset') await work.marks.set('met', [item.id]);
  try {
    const written = await work.writer.put(item);
    if (item.kind === 'dataset') work.counts[written.outcome] += 1;
    if (written.resources?.length) await work.tables?.note(written.resources);
    if (written.relations) await work.marks.put('related', item.id, JSON.stringify(written.relations));
    for (const said of written.remarks) await remark(work, item.kind, item.id, item.name, said, false);
    missing = written.missing ?? [];
  } catch (thrown) {
    await failed(work, item, thrown);
  }
  if (item.kind === 'dataset')
    work.onProgress?.(
      Object.values(work.counts).reduce((sum, count) => sum + count, 0),
      work.total,
    );
  return missing;
}

async function failed(work: Work, { kind, id, name }: SourceItem, thrown: unknown): Promise<void> {
  const {
    db,
    request: { now },
  } = work.runner.call();
  const before = await work.known.find(kind, id);
  const unmade = { sourceId: work.source.id, kind, recordId: id, objectId: null, isOurs: true };
  await putKnown(db, { ...unmade, ...before, recordName: name, state: 'failed', writtenAt: now });
  await remark(work, kind, id, name, reasonOf(thrown), true);
}

/** Runs work on one record. Reports its failure without stopping the run. */
export async function one(work: Work, name: string, task: () => Promise<void>, kind = 'dataset'): Promise<void> {
  try {
    await task();
  } catch (thrown) {
    await remark(work, kind, name, name, reasonOf(thrown), true);
  }
}

export async function remark(
  work: Work,
  kind: string,
  recordId: string,
  recordName: string,
  message: string,
  isFault: boolean,
): Promise<void> {
  if (isFault) work.counts.failed += 1;
  work.remarks += 1;
  const number = work.remarks; // concurrent writers increment it during this one
  const [id, name, said] = [recordId, recordName, message].map(sayable) as [string, string, string];
  work.onRemark?.(`${kind} ${name}${name === id ? '' : ` (${id})`}: ${said}`);
  if (number <= MAX_REMARKS)
    await insertRemark(work.runner.call().db, {
      runId: work.run.id,
      number,
      isFault,
      kind,
      recordId: id,
      recordName: name,
      message: said,
    });
}

/** Processes items with limited concurrency. */
export async function several<T>(
  work: Work,
  items: readonly T[] | AsyncGenerator<T>,
  task: (item: T) => Promise<void>,
): Promise<void> {
  const left = Array.isArray(items) ? items.values() : (items as AsyncGenerator<T>);
  const worker = async () => {
    for await (const item of left) {
      work.signal.throwIfAborted();
      await task(item);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/** Text of a source, safe to store and to print on one line. */
const sayable = (text: string): string => text.slice(0, 2_000).replace(/\p{Cc}+/gu, ' ');

function readerOf(
  call: Call,
  { source, mayReachPrivate, pause }: HarvestOptions,
  marks: Marks,
  signal: AbortSignal,
): Reader {
  const key = source.apiKey === null ? null : call.secrets.secretBox.open(source.apiKey);
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
