/** Reads the change log for callers: a page, or a live stream. */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import { createLru, type Lru } from '../infra/concurrency/lru.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { type Connection, connection, cursorOf, keyset, type PageArgs } from '../kernel/connection.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { EventBlock, EventPart } from '../kernel/events.ts';
import type { ChangeBlock, FollowedBlock, LoggedChange, Readers } from '../kernel/feed.ts';
import { withSubject } from './blocks.ts';
import { assignPositions } from './cursors.ts';
import { mayReadAs } from './feed.policy.ts';
import { aheadOfLog, type ChangeChoice, checkWait, fits, type VisibleChange, visibleChange } from './feed.rules.ts';
import { changesAfter, endsOfLog, lastPosition, spanOf } from './feed.sql.ts';
import { lacksAny, prunedError } from './pruned.ts';

export type { ChangeObjectType, VisibleChange } from './feed.rules.ts';
export { globalIdOf, kindOf, loggedKind, typenameOf } from './feed.rules.ts';
/** The backing type of ChangeConnection. */
export type ChangePage = Connection<VisibleChange>;

type VisibilityFilter = (changes: readonly LoggedChange[]) => VisibleChange[];

/** Maximum number of changes per statement. */
const READ = 1_000;
/** A page reads a few changes more than it lacks, because most callers may not read some of them. */
const [SPARE, MIN_SPARE] = [1.2, 20];
/** Maximum number of changes examined for one page or one count; `COSTLY` (graph/admission/cost.ts) holds its cost. */
const MAX_EXAMINED = 10_000;
/** Times before and after all changes. */
const [EARLIEST, LATEST] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
/** Maximum number of audiences with a cached result per block. */
const AUDIENCES = 16;

/** The cursor of a log position. */
export const cursorAt = (position: number): string => cursorOf([position]);

/** Returns a function that computes the visible part of changes for the caller. */
export function visibilityFilter({ actor, settings }: Call, choice: ChangeChoice): VisibilityFilter {
  const may = (readers: Readers) => mayReadAs(actor, readers, settings) === null;
  return (changes) =>
    changes.flatMap((change) => {
      const visible = visibleChange(change, may);
      return visible && fits(choice, change, visible) ? [visible] : [];
    });
}

/** Conditions of callers. */
export interface ChangesArgs extends Pick<ChangeChoice, 'types' | 'since' | 'until'> {
  readonly where?: Omit<ChangeChoice, 'types' | 'since' | 'until'> | null;
}
const choiceOf = ({ types, since, until, where }: ChangesArgs): ChangeChoice => ({ ...where, types, since, until });

/**
 * A page of the log, oldest first. If it is empty, `wait` is the number of seconds to wait for changes. Its end cursor
 * is the last examined position, even without visible changes. @throws CatalogError LIMIT, VALIDATION (after, wait),
 * GONE
 */
export async function changeConnection(
  call: Call,
  args: PageArgs & ChangesArgs & { wait?: number | null },
): Promise<ChangePage> {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  checkWait(args.wait ?? 0);
  const after = page.from && positionOf(page.from);
  const { first, last } = await endsOf(call);
  if (after !== null && after > last) throw aheadOfLog();
  const visibleOf = visibilityFilter(call, choiceOf(args));
  const span = await spanFor(call, args, { first, last });
  const begin = Math.max(after ?? first - 1, span.start);
  const bound = Math.max(begin, span.end);
  let found = await examine(call, visibleOf, begin, page.limit, bound);
  if (found.visible.length === 0 && found.end >= last && args.wait && page.limit > 0)
    found = await waitFor(call, visibleOf, found.end, page.limit, args.wait);
  const { visible, end, isMore = end < Math.min(last, bound) } = found;
  const { pageInfo, ...items } = connection(
    visible,
    page,
    ({ position }) => [position],
    () => countChanges(call, visibleOf),
  );
  return { ...items, pageInfo: { ...pageInfo, hasNextPage: isMore, endCursor: cursorAt(end) } };
}

/** The positions between which changes of a time are: after `start`, up to `end`. @throws CatalogError GONE */
async function spanFor(
  { sql }: Call,
  { since, until }: ChangesArgs,
  { first, last }: { first: number; last: number },
): Promise<{ start: number; end: number }> {
  if (!since && !until) return { start: 0, end: Number.POSITIVE_INFINITY };
  const bound = until ? new Date(until.getTime() + 1) : LATEST;
  const found = await spanOf(sql, since ?? EARLIEST, bound);
  if (since && first > 1 && found.oldest && found.oldest > since) throw await prunedError(sql, 'since');
  const start = since ? Math.min(found.first - 1, last) : 0;
  return { start, end: until && until < new Date() ? found.last : Number.POSITIVE_INFINITY };
}

/** The last log position, after assigning positions to all visible entries. */
export const endOfLog = async (call: Call): Promise<number> => (await endsOf(call)).last;

/** The cursor after all visible entries, or before the first one since a time. @throws CatalogError GONE */
export async function changesEnd(call: Call, since: Date | null | undefined): Promise<string> {
  const ends = await endsOf(call);
  return cursorAt(since ? (await spanFor(call, { since }, ends)).start : ends.last);
}

async function endsOf(call: Call): Promise<{ first: number; last: number }> {
  await assignPositions(call);
  return endsOfLog(call.sql);
}

/** The position of a caller's cursor. @throws CatalogError VALIDATION (after), GONE */
export async function positionOfCursor(call: Call, cursor: string): Promise<number> {
  const position = positionOf(keyset({ after: cursor }, ['number'], 1).from);
  const { first, last } = await endsOf(call);
  if (position > last) throw aheadOfLog();
  if (position < first - 1) throw await prunedError(call.sql);
  return position;
}

/** The changes of a page, and its end position. */
interface Found {
  readonly visible: VisibleChange[];
  readonly end: number;
  readonly isMore?: boolean;
}

async function examine(
  { sql }: Call,
  visibleOf: VisibilityFilter,
  after: number,
  limit: number,
  bound: number,
): Promise<Found> {
  const visible: VisibleChange[] = [];
  let end = after;
  /** The number of changes that are expected to hold the rest of the page. */
  let size = limit;
  let spare = MIN_SPARE;
  while (visible.length < limit && end - after < MAX_EXAMINED && end < bound) {
    const max = Math.min(READ, MAX_EXAMINED - (end - after));
    const read = await changesAfter(sql, end, Math.min(max, Math.ceil(SPARE * size) + spare));
    spare *= 2; // bounds the number of reads, even if the caller may read no further change
    if (lacksAny(end, read)) throw await prunedError(sql);
    const rows = read.filter(({ position }) => position <= bound);
    const cut = cutAt(visibleOf(rows.map((row) => withSubject(row))), limit - visible.length);
    visible.push(...cut.visible);
    end = cut.end ?? rows.at(-1)?.position ?? end;
    if (rows.length === 0) break;
    size = ((limit - visible.length) * (end - after)) / Math.max(1, visible.length);
  }
  return { visible, end };
}

/** The first changes, and their end position if there are more. */
const cutAt = (visible: VisibleChange[], limit: number): { visible: VisibleChange[]; end: number | null } =>
  visible.length > limit
    ? { visible: visible.slice(0, limit), end: visible[limit - 1]!.position }
    : { visible, end: null };

async function waitFor(
  call: Call,
  visibleOf: VisibilityFilter,
  after: number,
  limit: number,
  seconds: number,
): Promise<Found> {
  const time = AbortSignal.timeout(seconds * 1_000);
  const signal = call.request.gone ? AbortSignal.any([time, call.request.gone]) : time;
  let end = after;
  try {
    for await (const { block } of await call.process.feed.follow({ caller: callerOf(call.actor), after, signal })) {
      const cut = cutAt(visibleOf(block.changes.filter(({ position }) => position > after)), limit);
      end = cut.end ?? block.end;
      if (cut.visible.length === 0) continue;
      // Returns nothing: the next request is answered with the new permissions.
      if (!(await hasSamePermissions(call))) return { visible: [], end: after, isMore: false };
      return { visible: cut.visible, end, isMore: cut.end !== null };
    }
  } catch (failure) {
    if (!(failure instanceof CatalogError && failure.kind === 'UNAVAILABLE')) throw failure; // the server is stopping: an empty page
  }
  return { visible: [], end, isMore: false };
}

/** Whether the caller's permissions are unchanged and the credential is still valid: both may end during a long wait. */
async function hasSamePermissions(call: Call): Promise<boolean> {
  const { userId, sysadmin, capacities } = call.actor;
  if (userId === null) return true;
  const [now, isCredentialValid] = await Promise.all([
    identifyUser(call, userId),
    call.request.isCredentialValid?.() ?? true,
  ]);
  if (!isCredentialValid || !now || (sysadmin && !now.sysadmin)) return false;
  return [...capacities].every(([id, capacity]) => now.capacities.get(id) === capacity);
}

/** @throws CatalogError LIMIT if the log is too long to count */
async function countChanges({ sql }: Call, visibleOf: VisibilityFilter): Promise<number> {
  if ((await lastPosition(sql)) > MAX_EXAMINED)
    throw new CatalogError('LIMIT', `totalCount: the log has more than ${MAX_EXAMINED} changes, which are not counted`);
  let count = 0;
  for (let end = 0; ; ) {
    const rows = await changesAfter(sql, end, READ);
    count += visibleOf(rows.map((row) => withSubject(row))).length;
    end = rows.at(-1)?.position ?? end;
    if (rows.length < READ) return count;
  }
}

/** The live log from a position, or from now on. @throws CatalogError LIMIT, VALIDATION (after), GONE, UNAVAILABLE */
export async function changeStream(
  call: Call,
  args: Omit<ChangesArgs, 'until'> & { after?: string | null },
): Promise<AsyncGenerator<EventPart>> {
  const cursor = args.after == null ? null : positionOf(keyset({ after: args.after }, ['number'], 1).from);
  const after = await startOf(call, cursor, args);
  const signal = call.request.gone ?? new AbortController().signal;
  const blocks = await call.process.feed.follow({ caller: callerOf(call.actor), after, signal });
  return partsOf(blocks, call, choiceOf(args));
}

/** The position after which a stream starts; null: from now on. @throws CatalogError GONE */
async function startOf(call: Call, cursor: number | null, args: ChangesArgs): Promise<number | null> {
  if (!args.since) return cursor;
  return Math.max(cursor ?? 0, (await spanFor(call, args, await endsOf(call))).start);
}

async function* partsOf(
  blocks: AsyncIterable<FollowedBlock>,
  call: Call,
  choice: ChangeChoice,
): AsyncGenerator<EventPart> {
  const visibleOf = visibilityFilter(call, choice);
  const audience = audienceOf(call, choice);
  for await (const { block, from } of blocks) {
    const visible = visibleBlock(block, audience, call.process.feed.age, visibleOf);
    const skip = from === block.start ? 0 : visible.events.filter(({ position }) => position <= from).length;
    yield { block: visible, skip, looked: block.end - from, cursor: cursorAt(block.end) };
  }
}

interface VisibleBlock extends EventBlock {
  readonly events: readonly VisibleChange[];
}

/** Results per audience, computed once and bounded by an LRU: a caller can form many audiences by conditions. */
const known = new WeakMap<ChangeBlock, Lru<{ age: number; visible: VisibleBlock }>>();

function visibleBlock(block: ChangeBlock, audience: string, age: number, visibleOf: VisibilityFilter): VisibleBlock {
  let audiences = known.get(block);
  if (!audiences) known.set(block, (audiences = createLru(AUDIENCES)));
  const before = audiences.get(audience);
  if (before?.age === age) return before.visible;
  const touchesRights = block.changes.some(({ objectType }) => RIGHTS.has(objectType));
  const visible = { events: visibleOf(block.changes), touchesRights };
  audiences.set(audience, { age, visible });
  return visible;
}

const RIGHTS: ReadonlySet<string> = new Set(['user', 'group', 'organization']);

/** The cache key of the caller's visibility; equal for callers with equal visibility. */
function audienceOf({ actor: { userId, sysadmin, limitedTo, capacities } }: Call, choice: ChangeChoice): string {
  const rights = userId === null && !sysadmin ? null : [userId, sysadmin, limitedTo, [...capacities].sort()];
  const types = choice.types ? [...new Set(choice.types)].sort() : null;
  const { dataset, organization, group, actor, since } = choice;
  return JSON.stringify([rights, types, dataset, organization, group, actor, since]);
}

function positionOf(after: readonly (string | number)[] | null): number {
  return Math.max(0, (after?.[0] as number | undefined) ?? 0);
}
