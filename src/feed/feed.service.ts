/** Reads the change log for callers: a page, or a live stream. */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import { createLru, type Lru } from '../infra/concurrency/lru.ts';
import { type Call, callerOf } from '../kernel/call.ts';
import { type Connection, connection, cursorOf, keyset, type PageArgs } from '../kernel/connection.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { EventBlock, EventPart } from '../kernel/events.ts';
import type { ChangeBlock, FollowedBlock, LoggedChange, Readers } from '../kernel/feed.ts';
import { withSubject } from './blocks.ts';
import { placeAll } from './cursors.ts';
import { mayReadAs } from './feed.policy.ts';
import { aheadOfLog, type ChangeObjectType, checkWait, type ToldChange, toldOf } from './feed.rules.ts';
import { changesBehind, endsOfLog, lastPlace } from './feed.sql.ts';
import { goneFrom, lacksAny } from './pruned.ts';

export type { ChangeObjectType, ToldChange } from './feed.rules.ts';
export { kindOf, loggedKind, typenameOf } from './feed.rules.ts';
/** The backing type of ChangeConnection. */
export type ChangePage = Connection<ToldChange>;

type Types = readonly ChangeObjectType[] | null | undefined;
type Tell = (changes: readonly LoggedChange[]) => ToldChange[];

/** Maximum number of changes per statement. */
const READ = 1_000;
/** Maximum number of changes examined for one page or one count; `COSTLY` (graph/admission/cost.ts) holds its cost. */
const LOOKED_THROUGH = 10_000;
/** Maximum number of audiences with a cached result per block. */
const AUDIENCES = 16;

/** The cursor of a log position. */
export const cursorAt = (position: number): string => cursorOf([position]);

/** Returns a function that computes the visible part of changes for the caller. */
export function teller({ actor, settings }: Call, types: Types): Tell {
  const may = (readers: Readers) => mayReadAs(actor, readers, settings) === null;
  const wanted = types && new Set(types);
  return (changes) =>
    changes.flatMap((change) => {
      const told = toldOf(change, may);
      return told && (!wanted || wanted.has(told.objectType)) ? [told] : [];
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
  const after = page.after && placeOf(page.after);
  const { first, last } = await endsOf(call);
  if (after !== null && after > last) throw aheadOfLog();
  const tell = teller(call, args.types);
  let found = await lookThrough(call, tell, after ?? first - 1, page.limit);
  if (found.told.length === 0 && found.end >= last && args.wait && page.limit > 0)
    found = await waitFor(call, tell, found.end, page.limit, args.wait);
  const { told, end, isMore = end < last } = found;
  const { pageInfo, ...items } = connection(
    told,
    page,
    ({ position }) => [position],
    () => countChanges(call, tell),
  );
  return { ...items, pageInfo: { ...pageInfo, hasNextPage: isMore, endCursor: cursorAt(end) } };
}

/** The last log position, after assigning positions to all visible entries. */
export const endOfLog = async (call: Call): Promise<number> => (await endsOf(call)).last;

/** The cursor after all visible entries. */
export const changesEnd = async (call: Call): Promise<string> => cursorAt(await endOfLog(call));

async function endsOf(call: Call): Promise<{ first: number; last: number }> {
  await placeAll(call);
  return endsOfLog(call.sql);
}

/** The position of a caller's cursor. @throws CatalogError VALIDATION (after), GONE */
export async function placeBehind(call: Call, cursor: string): Promise<number> {
  const place = placeOf(keyset({ after: cursor }, ['number'], 1).after);
  const { first, last } = await endsOf(call);
  if (place > last) throw aheadOfLog();
  if (place < first - 1) throw await goneFrom(call.sql);
  return place;
}

/** The changes of a page, and its end position. */
interface Found {
  readonly told: ToldChange[];
  readonly end: number;
  readonly isMore?: boolean;
}

async function lookThrough({ sql }: Call, tell: Tell, after: number, limit: number): Promise<Found> {
  const told: ToldChange[] = [];
  let end = after;
  while (told.length < limit && end - after < LOOKED_THROUGH) {
    const rows = await changesBehind(sql, end, Math.min(READ, Math.max(100, 2 * limit)));
    if (lacksAny(end, rows)) throw await goneFrom(sql);
    const cut = cutAt(tell(rows.map((row) => withSubject(row))), limit - told.length);
    told.push(...cut.told);
    end = cut.end ?? rows.at(-1)?.position ?? end;
    if (rows.length === 0) break;
  }
  return { told, end };
}

/** The first changes, and their end position if there are more. */
const cutAt = (told: ToldChange[], limit: number): { told: ToldChange[]; end: number | null } =>
  told.length > limit ? { told: told.slice(0, limit), end: told[limit - 1]!.position } : { told, end: null };

async function waitFor(call: Call, tell: Tell, after: number, limit: number, seconds: number): Promise<Found> {
  const time = AbortSignal.timeout(seconds * 1_000);
  const signal = call.gone ? AbortSignal.any([time, call.gone]) : time;
  let end = after;
  try {
    for await (const { block } of await call.feed.follow({ caller: callerOf(call.actor), after, signal })) {
      const cut = cutAt(tell(block.changes.filter(({ position }) => position > after)), limit);
      end = cut.end ?? block.end;
      if (cut.told.length === 0) continue;
      // Returns nothing: the next request is answered with the new permissions.
      if (!(await isWhoItWas(call))) return { told: [], end: after, isMore: false };
      return { told: cut.told, end, isMore: cut.end !== null };
    }
  } catch (failure) {
    if (!(failure instanceof CatalogError && failure.kind === 'UNAVAILABLE')) throw failure; // the server is stopping: an empty page
  }
  return { told: [], end, isMore: false };
}

/** Whether the caller's permissions are unchanged and the credential is still valid: both may end during a long wait. */
async function isWhoItWas(call: Call): Promise<boolean> {
  const { userId, sysadmin, capacities } = call.actor;
  if (userId === null) return true;
  const [now, stands] = await Promise.all([identifyUser(call, userId), call.stands?.() ?? true]);
  if (!stands || !now || (sysadmin && !now.sysadmin)) return false;
  return [...capacities].every(([id, capacity]) => now.capacities.get(id) === capacity);
}

/** @throws CatalogError LIMIT if the log is too long to count */
async function countChanges({ sql }: Call, tell: Tell): Promise<number> {
  if ((await lastPlace(sql)) > LOOKED_THROUGH)
    throw new CatalogError(
      'LIMIT',
      `totalCount: the log has more than ${LOOKED_THROUGH} changes, which are not counted`,
    );
  let count = 0;
  for (let end = 0; ; ) {
    const rows = await changesBehind(sql, end, READ);
    count += tell(rows.map((row) => withSubject(row))).length;
    end = rows.at(-1)?.position ?? end;
    if (rows.length < READ) return count;
  }
}

/** The live log from a position, or from now on. @throws CatalogError LIMIT, VALIDATION (after), GONE, UNAVAILABLE */
export async function changeStream(
  call: Call,
  args: { after?: string | null; types?: Types },
): Promise<AsyncGenerator<EventPart>> {
  const after = args.after == null ? null : placeOf(keyset({ after: args.after }, ['number'], 1).after);
  const signal = call.gone ?? new AbortController().signal;
  const blocks = await call.feed.follow({ caller: callerOf(call.actor), after, signal });
  return partsOf(blocks, call, args.types);
}

async function* partsOf(blocks: AsyncIterable<FollowedBlock>, call: Call, types: Types): AsyncGenerator<EventPart> {
  const tell = teller(call, types);
  const audience = audienceOf(call, types);
  for await (const { block, from } of blocks) {
    const told = toldBlock(block, audience, call.feed.age, tell);
    const skip = from === block.start ? 0 : told.events.filter(({ position }) => position <= from).length;
    yield { block: told, skip, looked: block.end - from, cursor: cursorAt(block.end) };
  }
}

interface ToldBlock extends EventBlock {
  readonly events: readonly ToldChange[];
}

/** Results per audience, computed once and bounded by an LRU: a caller can form many audiences by `types`. */
const known = new WeakMap<ChangeBlock, Lru<{ age: number; told: ToldBlock }>>();

function toldBlock(block: ChangeBlock, audience: string, age: number, tell: Tell): ToldBlock {
  let audiences = known.get(block);
  if (!audiences) known.set(block, (audiences = createLru(AUDIENCES)));
  const before = audiences.get(audience);
  if (before?.age === age) return before.told;
  const touchesRights = block.changes.some(({ objectType }) => RIGHTS.has(objectType));
  const told = { events: tell(block.changes), touchesRights };
  audiences.set(audience, { age, told });
  return told;
}

const RIGHTS: ReadonlySet<string> = new Set(['user', 'group', 'organization']);

/** The cache key of the caller's visibility; equal for callers with equal visibility. */
function audienceOf({ actor: { userId, sysadmin, limitedTo, capacities } }: Call, types: Types): string {
  const rights = userId === null && !sysadmin ? null : [userId, sysadmin, limitedTo, [...capacities].sort()];
  return JSON.stringify([rights, types ? [...new Set(types)].sort() : null]);
}

function placeOf(after: readonly (string | number)[] | null): number {
  return Math.max(0, (after?.[0] as number | undefined) ?? 0);
}
