/** Starts harvests and reports their results. */

import { enqueue, unschedule } from '../jobs/queue.service.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { type Connection, connection, invalidCursor, keyset, type PageArgs } from '../kernel/connection.ts';
import { invalidField } from '../kernel/errors.ts';
import type { RemarkRecord, RunRecord } from './run/run.store.ts';
import {
  type CreateSourceInput,
  type DeleteSourceInput,
  type PatchSourceInput,
  type SourceRecord,
  sourceCreate,
  sourceDelete,
  sourcePatch,
  sourceShow,
} from './source/source.service.ts';

export type RunPage = Connection<RunRecord>;
export type RemarkPage = Connection<RemarkRecord>;

/** Kind of harvest jobs. */
export const HARVEST = 'harvest';

interface Loaders {
  harvestRunPages: { load(of: { id: string; page: ReturnType<typeof keyset> }): Promise<RunRecord[]> };
  harvestRunCounts: { load(id: string): Promise<number> };
  harvestRemarkPages: { load(of: { id: string; page: ReturnType<typeof keyset> }): Promise<RemarkRecord[]> };
  harvestRemarkCounts: { load(id: string): Promise<number> };
}

/** Maximum of PostgreSQL's `integer`, the type of cursor keys. */
const MAX_KEY = 2 ** 31 - 1;

function pageOf(call: Call, args: PageArgs) {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  const at = page.from?.[0] as number | undefined;
  if (at !== undefined && Math.abs(at) > MAX_KEY) throw invalidCursor(page);
  return page;
}

/** Runs of a source the caller may manage, newest first. @throws CatalogError VALIDATION, LIMIT */
export async function runsOf(call: Call, loaders: Loaders, { id }: SourceRecord, args: PageArgs): Promise<RunPage> {
  const page = pageOf(call, args);
  const rows = await loaders.harvestRunPages.load({ id, page });
  return connection(
    rows,
    page,
    ({ number }) => [number],
    () => loaders.harvestRunCounts.load(id),
  );
}

/** A run's remarks on single records, in order. @throws CatalogError VALIDATION, LIMIT */
export async function remarksOf(call: Call, loaders: Loaders, { id }: RunRecord, args: PageArgs): Promise<RemarkPage> {
  const page = pageOf(call, args);
  const rows = await loaders.harvestRemarkPages.load({ id, page });
  return connection(
    rows,
    page,
    ({ number }) => [number],
    () => loaders.harvestRemarkCounts.load(id),
  );
}

/** Key for single requests, separate from the key of the schedule. */
const keyNow = (id: string): string => `${HARVEST} now ${id}`;
const keyAgain = (id: string): string => `${HARVEST} ${id}`;

/** Creates a source and schedules its harvests. @throws CatalogError NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const harvestSourceCreate = (call: Call, input: CreateSourceInput): Promise<SourceRecord> =>
  inTransaction(call, async (call) => schedule(call, await sourceCreate(call, input)));

/** Changes a source and its schedule. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const harvestSourcePatch = (call: Call, input: PatchSourceInput): Promise<SourceRecord> =>
  inTransaction(call, async (call) => schedule(call, await sourcePatch(call, input)));

/** Removes a source. A running harvest finishes. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export const harvestSourceDelete = (call: Call, input: DeleteSourceInput): Promise<string> =>
  inTransaction(call, async (call) => {
    const id = await sourceDelete(call, input);
    for (const key of [keyNow(id), keyAgain(id)]) await unschedule(call, key);
    return id;
  });

/** Requests a harvest of a source. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export async function harvestStart(
  call: Call,
  { source: named, full, force }: { source: string; full?: boolean | null; force?: boolean | null },
): Promise<SourceRecord> {
  const source = await sourceShow(call, named);
  if (source.userId === null)
    throw invalidField(
      'source',
      'The source has no user to write as, because it was created at the command line. Change it to become its user.',
    );
  await enqueue(call, {
    ...requestOf(source),
    key: keyNow(source.id),
    payload: { full: full ?? false, force: force ?? false },
  });
  return source;
}

/** Retries cover a lost process, and a source that could not be read once. */
const requestOf = ({ id }: SourceRecord) => ({
  kind: HARVEST,
  subjectType: 'harvest_source',
  subjectId: id,
  maxAttempts: 3,
});

async function schedule(call: Call, source: SourceRecord): Promise<SourceRecord> {
  const key = keyAgain(source.id);
  await unschedule(call, key);
  if (source.every !== null && source.userId !== null)
    await enqueue(call, { ...requestOf(source), key, everySeconds: source.every * 60 });
  return source;
}
