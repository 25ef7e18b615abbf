/**
 * Walks a source's datasets in order of modification. Pages continue from the last timestamp, not by offset: datasets changed during the
 * walk move to the end, and deleted ones shift nothing.
 */
import { isObject } from '../../kernel/json.ts';
import { SourceError } from '../web.ts';
import type { Ask } from './ask.ts';

const ROWS = 100;
/** Overlap of pages in rows when a source does not sort, so that moved datasets are found again. */
const SHARED = 20;
/** Seconds that are read again, because a search index lags and transactions commit out of order. */
const OVERLAP = 15 * 60;
/** Maximum datasets of one source, including repeated ones. */
const MAX_IDS = 2_000_000;

const tooMany = () => new SourceError(`The source has more than ${MAX_IDS} datasets, the maximum of one source.`);

interface Page {
  /** Some may repeat datasets of earlier pages. */
  readonly records: readonly unknown[];
  readonly readUntil: string | null;
  readonly total: number | null;
  /** Whether the source reports this as the last page. A source may also end without reporting it. */
  readonly isLast: boolean;
}

export async function* changedDatasets(ask: Ask, since: string | null): AsyncGenerator<Page> {
  let from = since === null ? null : secondOf(since, -OVERLAP);
  let start = 0;
  let total: number | null = null;
  for (let read = 0; read < MAX_IDS; ) {
    const { results, count } = await search(ask, from, start);
    total ??= count;
    read += results.length;
    const moments = results.map(modifiedOf);
    if (!isAscending(from, moments)) return yield* everyDataset(ask);
    const isLast = start + results.length >= count;
    yield { records: results, readUntil: moments.at(-1) ?? null, total, isLast };
    if (results.length === 0 || isLast) return;
    const next = secondOf(moments.at(-1)!, 0);
    if (next === from) start += results.length;
    else [from, start] = [next, 0];
  }
  throw tooMany();
}

/** Fallback for sources that do not sort: pages by offset, with overlap. */
async function* everyDataset(ask: Ask): AsyncGenerator<Page> {
  for (let start = 0, read = 0; read < MAX_IDS; ) {
    const { results, count } = await search(ask, null, start);
    read += results.length;
    const isLast = start + results.length >= count;
    yield { records: results, readUntil: null, total: count, isLast };
    if (results.length === 0 || isLast) return;
    start += Math.max(1, results.length - SHARED);
  }
  throw tooMany();
}

async function search(ask: Ask, from: string | null, start: number) {
  const result = await ask('package_search', {
    q: '*:*',
    sort: 'metadata_modified asc, name asc',
    rows: ROWS,
    start,
    ...(from !== null && { fq: `metadata_modified:[${from} TO *]` }),
  });
  if (!isObject(result) || !Array.isArray(result.results) || typeof result.count !== 'number')
    throw new SourceError('package_search returned no results and count');
  return { results: result.results as unknown[], count: result.count };
}

/** Modification time as sortable text; null when missing. */
function modifiedOf(record: unknown): string | null {
  const said = isObject(record) ? record.metadata_modified : null;
  if (typeof said !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]00:?00)?$/.test(said))
    return null;
  return Number.isNaN(Date.parse(`${said.slice(0, 16)}Z`)) ? null : said.replace(/(Z|[+-]00:?00)$/, '');
}

/** Search indexes store milliseconds at best. */
const inMillis = (moment: string): string => moment.slice(0, 23);

const isAscending = (from: string | null, moments: readonly (string | null)[]): boolean =>
  moments.every(
    (moment, index) =>
      moment !== null &&
      (from === null || moment >= from.slice(0, 19)) &&
      (index === 0 || inMillis(moment) >= inMillis(moments[index - 1]!)),
  );

/** The timestamp in whole seconds, shifted, in query format. */
function secondOf(moment: string, by: number): string {
  const at = Date.parse(`${moment.slice(0, 19)}Z`);
  return `${new Date((Number.isNaN(at) ? 0 : at) + by * 1_000).toISOString().slice(0, 19)}Z`;
}
