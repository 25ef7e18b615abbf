/** Parts of the log for message-based readers (webhooks, lines), in the form that all endpoints share. */
import type { Call } from '../kernel/call.ts';
import type { LoggedChange, Readers } from '../kernel/feed.ts';
import { withSubject } from './blocks.ts';
import type { ChangeObjectType, VisibleChange } from './feed.rules.ts';
import { cursorAt, visibilityFilter } from './feed.service.ts';
import { type ChangeRow, changesAfter, lastPosition } from './feed.sql.ts';
import { lacksAny } from './pruned.ts';

/** Changes examined per statement. */
const READ = 500;

/** A requested part of the log. */
export interface Part {
  /** Start after this position. */
  readonly after: number;
  /** Up to this position; null: as far as `limit` changes go. */
  readonly until: number | null;
  readonly limit: number;
  readonly types: readonly ChangeObjectType[] | null;
  /** Only changes in or of this organization, now or in the past; null: all. */
  readonly organizationId: string | null;
}

/** A change as written to lines and messages. */
export interface ChangeLine extends Omit<VisibleChange, 'position' | 'owners'> {
  readonly cursor: string;
  readonly sequence: number;
}

/** The visible changes of a part. */
export interface VisiblePart {
  /** At most the part's limit. */
  readonly lines: ChangeLine[];
  /** End position; `after` at the end of the log. */
  readonly end: number;
  /** Number of further visible changes beyond the limit. */
  readonly rest: number;
  /** Whether some of the part has been pruned; `lines` is empty then. */
  readonly isLost: boolean;
}

export async function visibleAfter(call: Call, part: Part): Promise<VisiblePart> {
  const { after, until, limit, types, organizationId } = part;
  // Positions have no gaps, so their difference is the number of changes.
  const rows = await changesAfter(call.sql, after, until === null ? READ : until - after);
  if (await isAnyLost(call, part, rows)) return { lines: [], end: after, rest: 0, isLost: true };
  const changes = rows.map((row) => withSubject(row));
  const requested = organizationId === null ? changes : changes.filter((change) => isOf(change, organizationId));
  const visible = visibilityFilter(call, { types })(requested);
  const rest = Math.max(0, visible.length - limit);
  const lines = visible.slice(0, limit).map(lineOf);
  return {
    lines,
    end: rest > 0 ? visible[limit - 1]!.position : (rows.at(-1)?.position ?? after),
    rest,
    isLost: false,
  };
}

/** Whether the rows after a position lack some: the log was pruned from its start, or emptied. */
async function isAnyLost({ sql }: Call, { after, until }: Part, rows: readonly ChangeRow[]): Promise<boolean> {
  if (lacksAny(after, rows) || (until !== null && (rows.at(-1)?.position ?? after) !== until)) return true;
  return rows.length === 0 && (await lastPosition(sql)) < after;
}

function isOf({ objectId, before, after }: LoggedChange, organizationId: string): boolean {
  const owner = (readers: Readers) => (readers?.of === 'dataset' ? readers.ownerOrganizationId : null);
  return [objectId, owner(before), owner(after)].includes(organizationId);
}

const lineOf = ({ position, owners: _, ...change }: VisibleChange): ChangeLine => ({
  cursor: cursorAt(position),
  sequence: position,
  ...change,
});
