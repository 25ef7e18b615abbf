/** Scores changed datasets, and keeps the sums of scores. Writes neither revisions nor changes, and no version of a dataset. */
import { setImmediate as pause } from 'node:timers/promises';
import { lockAlone } from '../infra/postgres/transaction-lock.sql.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { notAuthorized } from '../kernel/errors.ts';
import { type LinkVerdict, linkVerdicts } from '../links/link.store.ts';
import type { Statement } from './graph.ts';
import { METHOD_VERSION, type State } from './method.rules.ts';
import { type Score, scoreOf } from './score.rules.ts';
import { queueAll, queueOld, sumsAt, takePending, writeScores, writeSums } from './score.sql.ts';
import {
  documentsOf,
  isAnyPending,
  type QualityRow,
  removeScores,
  type ScoredDocument,
  scoresOf,
} from './score.store.ts';
import { ALL, addTo, count, countedOf, noSums, scopeOf } from './sums.rules.ts';

/** Linked-data description of a dataset, as the site publishes it. */
export type Describe = (document: never) => Iterable<Statement>;

/** Datasets in one transaction, which bounds memory. */
const BATCH = 50;

/** The parts of a document that say how its links are. */
interface Body {
  readonly isopen?: boolean;
  readonly resources?: readonly {
    readonly id: string;
    readonly url?: string | null;
    readonly url_type?: string | null;
  }[];
}

/** Scores all queued datasets, in batches. Ends early if `isStopping`. Returns the number of scores. */
export async function scorePending(call: Call, describe: Describe, isStopping = () => false): Promise<number> {
  let scored = 0;
  while (!isStopping() && (await isAnyPending(call.db))) scored += await scoreNext(call, describe);
  return scored;
}

/** Queues datasets with a score of an older version of the method. */
export const queueOutdated = (call: Call): Promise<void> => queueOld(call.sql, METHOD_VERSION);

/** Scores every dataset again. Returns the number of scores. Sysadmins only. @throws CatalogError NOT_AUTHORIZED */
export async function qualityScore(call: Call, describe: Describe): Promise<number> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may score all datasets');
  await queueAll(call.sql);
  return scorePending(call, describe);
}

/** Scores the next batch; the lock keeps sums exact between processes. */
const scoreNext = (outside: Call, describe: Describe): Promise<number> =>
  inTransaction(outside, async (call) => {
    const { db, sql } = call;
    await lockAlone(sql, 'quality');
    const ids = await takePending(sql, BATCH);
    // Documents are read after the queue: a later write queues its dataset again.
    const documents = await documentsOf(db, ids);
    const before = await scoresOf(sql, ids);
    const rows = await scored(call, documents, describe);
    const existing = new Set(documents.map(({ datasetId }) => datasetId));
    const gone = ids.filter((id) => !existing.has(id));
    if (gone.length > 0) await removeScores(db, gone);
    if (rows.length > 0) await writeScores(sql, rows);
    const isNew = new Set(rows.map(({ datasetId }) => datasetId));
    await changeSums(
      call,
      before.filter(({ datasetId }) => isNew.has(datasetId) || !existing.has(datasetId)),
      rows,
    );
    return rows.length;
  });

/** The scores of documents. A document that cannot be described keeps its score. */
async function scored(call: Call, documents: readonly ScoredDocument[], describe: Describe): Promise<QualityRow[]> {
  const bodies = new Map(documents.map((it) => [it.datasetId, JSON.parse(it.document) as Body]));
  const resources = [...bodies.values()].flatMap((body) => (body.resources ?? []).map(({ id }) => id));
  const verdicts = await linkVerdicts(call.db, resources);
  const rows: QualityRow[] = [];
  for (const it of documents) {
    const body = bodies.get(it.datasetId)!;
    try {
      const facts = { isOpen: body.isopen === true, accessOf: accessIn(body, verdicts) };
      rows.push(rowOf(it, scoreOf(describe(body as never), facts), call.request.now));
    } catch (failure) {
      call.process.log.error({ err: failure, dataset: it.datasetId }, 'scoring a dataset failed');
    }
    await pause(); // lets requests of this process run in between
  }
  return rows;
}

const rowOf = (it: ScoredDocument, { points, byDimension, checks, faults, stars }: Score, now: Date): QualityRow => ({
  datasetId: it.datasetId,
  points,
  findability: byDimension.FINDABILITY,
  accessibility: byDimension.ACCESSIBILITY,
  interoperability: byDimension.INTEROPERABILITY,
  reusability: byDimension.REUSABILITY,
  contextuality: byDimension.CONTEXTUALITY,
  checks,
  faults: [...faults],
  stars,
  scope: scopeOf(it),
  owner: it.ownerOrganizationId ?? '',
  version: METHOD_VERSION,
  scoredAt: now,
});

/** Whether an address of a distribution works. Own files do. Only the URL of a resource is checked. */
function accessIn({ resources = [] }: Body, verdicts: ReadonlyMap<string, LinkVerdict>) {
  const byId = new Map(resources.map((resource) => [encodeURIComponent(resource.id), resource]));
  return (distribution: string, address: string): State => {
    const resource = byId.get(distribution.slice(distribution.lastIndexOf('/') + 1));
    if (!resource || !isSameAddress(resource.url, address)) return 'UNKNOWN';
    if (resource.url_type === 'upload' || resource.url_type === 'datastore') return 'MET';
    const verdict = verdicts.get(resource.id)?.verdict ?? 'unknown';
    return verdict === 'unknown' ? 'UNKNOWN' : verdict === 'ok' || verdict === 'moved' ? 'MET' : 'UNMET';
  };
}

/** Descriptions percent-encode addresses. */
function isSameAddress(url: string | null | undefined, address: string): boolean {
  const said = (url ?? '').trim();
  return (
    said === address || (URL.canParse(said) && URL.canParse(address) && new URL(said).href === new URL(address).href)
  );
}

/** Adds new scores to the sums, and takes the old ones away. */
async function changeSums({ sql, request }: Call, before: readonly QualityRow[], now: readonly QualityRow[]) {
  const changes = new Map<string, number[]>();
  const add = (rows: readonly QualityRow[], sign: 1 | -1) => {
    for (const row of rows) for (const key of keysOf(row)) count(entry(changes, key), countedOf(row), sign);
  };
  add(before, -1);
  add(now, 1);
  const keys = [...changes].filter(([, sums]) => sums.some((sum) => sum !== 0)).map(([key]) => key);
  if (keys.length === 0) return;
  const pairs = keys.sort().map((key) => JSON.parse(key) as [string, string]);
  const stored = new Map((await sumsAt(sql, pairs)).map(({ scope, owner, sums }) => [keyOf(scope, owner), sums]));
  const rows = pairs.map(([scope, owner]) => {
    const sums = noSums();
    addTo(sums, stored.get(keyOf(scope, owner)) ?? []);
    addTo(sums, changes.get(keyOf(scope, owner))!);
    return { scope, owner, sums };
  });
  await writeSums(sql, rows, request.now.toISOString().slice(0, 10));
}

const keyOf = (scope: string, owner: string): string => JSON.stringify([scope, owner]);

/** The sums that a score belongs to. */
const keysOf = ({ scope, owner }: QualityRow): string[] =>
  scope === null ? [] : [scope, ALL.scope].flatMap((it) => [keyOf(it, owner), keyOf(it, ALL.owner)]);

function entry(changes: Map<string, number[]>, key: string): number[] {
  const sums = changes.get(key) ?? noSums();
  changes.set(key, sums);
  return sums;
}
