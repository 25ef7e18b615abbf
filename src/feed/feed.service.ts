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
import { aheadOfLog, type ChangeObjectType, checkWait, type VisibleChange, visibleChange } from './feed.rules.ts';
import { changesAfter, endsOfLog, lastPosition } from './feed.sql.ts';
import { lacksAny, prunedError } from './pruned.ts';

export type { ChangeObjectType, VisibleChange } from './feed.rules.ts';
export { kindOf, loggedKind, typenameOf } from './feed.rules.ts';
/** The backing type of ChangeConnection. */
export type ChangePage = Connection<VisibleChange>;

type Types = readonly ChangeObjectType[] | null | undefined;
type VisibilityFilter = (changes: readonly LoggedChange[]) => VisibleChange[];

/** Maximum number of changes per statement. */
const READ = 1_000;
/** Maximum number of changes examined for one page or one count; `COSTLY` (graph/admission/cost.ts) holds its cost. */
const MAX_EXAMINED = 10_000;
/** Maximum number of audiences with a cached result per block. */
const AUDIENCES = 16;

/** The cursor of a log position. */
export const cursorAt = (position: number): string => cursorOf([position]);

/** Returns a function that computes the visible part of changes for the caller. */
export function visibilityFilter({ actor, settings }: Call, types: Types): VisibilityFilter {
  const may = (readers: Readers) => mayReadAs(actor, readers, settings) === null;
  const requested = types && new Set(types);
  return (changes) =>
    changes.flatMap((change) => {
      const visible = visibleChange(change, may);
      return visible && (!requested || requested.has(visible.objectType)) ? [visible] : [];
    });
}

/**
 * A page of the log, oldest first. If it is empty, `wait` is the number of seconds to wait for changes. Its end cursor
 * is the last examined position, even without visible changes. @throws CatalogError LIMIT, VALIDATION (after, wait),
 * GONE
 */
export async function changeConnection(
  call: Call,
  args: PageArgs & { types?: Types; wait?: number | null },
): Promise<ChangePage> {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  checkWait(args.wait ?? 0);
  const after = page.from && positionOf(page.from);
  const { first, last } = await endsOf(call);
  if (after !== null && after > last) throw aheadOfLog();
  const visibleOf = visibilityFilter(call, args.types);
  let found = await examine(call, visibleOf, after ?? first - 1, page.limit);
  if (found.visible.length === 0 && found.end >= last && args.wait && page.limit > 0)
    found = await waitFor(call, visibleOf, found.end, page.limit, args.wait);
  const { visible, end, isMore = end < last } = found;
  const { pageInfo, ...items } = connection(
    visible,
    page,
    ({ position }) => [position],
    () => countChanges(call, visibleOf),
  );
  return { ...items, pageInfo: { ...pageInfo, hasNextPage: isMore, endCursor: cursorAt(end) } };
}

/** The last log position, after assigning positions to all visible entries. */
export const endOfLog = async (call: Call): Promise<number> => (await endsOf(call)).last;

/** The cursor after all visible entries. */
export const changesEnd = async (call: Call): Promise<string> => cursorAt(await endOfLog(call));

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

async function examine({ sql }: Call, visibleOf: VisibilityFilter, after: number, limit: number): Promise<Found> {
  const visible: VisibleChange[] = [];
  let end = after;
  while (visible.length < limit && end - after < MAX_EXAMINED) {
    const rows = await changesAfter(sql, end, Math.min(READ, Math.max(100, 2 * limit)));
    if (lacksAny(end, rows)) throw await prunedError(sql);
    const cut = cutAt(visibleOf(rows.map((row) => withSubject(row))), limit - visible.length);
    visible.push(...cut.visible);
    end = cut.end ?? rows.at(-1)?.position ?? end;
    if (rows.length === 0) break;
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
  args: { after?: string | null; types?: Types },
): Promise<AsyncGenerator<EventPart>> {
  const after = args.after == null ? null : positionOf(keyset({ after: args.after }, ['number'], 1).from);
  const signal = call.request.gone ?? new AbortController().signal;
  const blocks = await call.process.feed.follow({ caller: callerOf(call.actor), after, signal });
  return partsOf(blocks, call, args.types);
}

async function* partsOf(blocks: AsyncIterable<FollowedBlock>, call: Call, types: Types): AsyncGenerator<EventPart> {
  const visibleOf = visibilityFilter(call, types);
  const audience = audienceOf(call, types);
  for await (const { block, from } of blocks) {
    const visible = visibleBlock(block, audience, call.process.feed.age, visibleOf);
    const skip = from === block.start ? 0 : visible.events.filter(({ position }) => position <= from).length;
    yield { block: visible, skip, looked: block.end - from, cursor: cursorAt(block.end) };
  }
}

interface VisibleBlock extends EventBlock {
  readonly events: readonly VisibleChange[];
}

/** Results per audience, computed once and bounded by an LRU: a caller can form many audiences by `types`. */
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
function audienceOf({ actor: { userId, sysadmin, limitedTo, capacities } }: Call, types: Types): string {
  const rights = userId === null && !sysadmin ? null : [userId, sysadmin, limitedTo, [...capacities].sort()];
  return JSON.stringify([rights, types ? [...new Set(types)].sort() : null]);
}

function positionOf(after: readonly (string | number)[] | null): number {
  return Math.max(0, (after?.[0] as number | undefined) ?? 0);
}
