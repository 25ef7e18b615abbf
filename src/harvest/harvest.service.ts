/** What came of reading sources, and having them read. */

import { enqueue, unschedule } from '../jobs/queue.service.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../kernel/connection.ts';
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

/** The kind of job that reads a source. */
export const HARVEST = 'harvest';

interface Loaders {
  harvestRunPages: { load(of: { id: string; page: ReturnType<typeof keyset> }): Promise<RunRecord[]> };
  harvestRunCounts: { load(id: string): Promise<number> };
  harvestRemarkPages: { load(of: { id: string; page: ReturnType<typeof keyset> }): Promise<RemarkRecord[]> };
  harvestRemarkCounts: { load(id: string): Promise<number> };
}

/** The key of a cursor is a number of PostgreSQL's `integer`. */
const MAX_KEY = 2 ** 31 - 1;

function pageOf(call: Call, args: PageArgs) {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  const at = page.after?.[0] as number | undefined;
  if (at !== undefined && Math.abs(at) > MAX_KEY) throw invalidField('after', 'Not a valid cursor for this list');
  return page;
}

/** Runs of a source that the caller may manage, the newest first. @throws CatalogError VALIDATION, LIMIT */
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

/** What a run says of single records, in its order. @throws CatalogError VALIDATION, LIMIT */
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

/** Two keys: what was asked for once is not what comes again and again. */
const keyNow = (id: string): string => `${HARVEST} now ${id}`;
const keyAgain = (id: string): string => `${HARVEST} ${id}`;

/** Makes a source and has it read when its time comes. @throws CatalogError NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const harvestSourceCreate = (call: Call, input: CreateSourceInput): Promise<SourceRecord> =>
  inTransaction(call, async (call) => schedule(call, await sourceCreate(call, input)));

/** Changes a source, and when it is read. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export const harvestSourcePatch = (call: Call, input: PatchSourceInput): Promise<SourceRecord> =>
  inTransaction(call, async (call) => schedule(call, await sourcePatch(call, input)));

/** Removes a source; what is at work comes to its end by itself. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export const harvestSourceDelete = (call: Call, input: DeleteSourceInput): Promise<string> =>
  inTransaction(call, async (call) => {
    const id = await sourceDelete(call, input);
    for (const key of [keyNow(id), keyAgain(id)]) await unschedule(call, key);
    return id;
  });

/** Has a source read soon. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
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

/** A try ends with its process at the worst; a source that cannot be read is tried once more. */
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
