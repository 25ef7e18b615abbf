/** Parts of the log for readers who are told by messages: what they are told of a part, in the form that all doors have. */
import type { Call } from '../kernel/call.ts';
import type { LoggedChange, Readers } from '../kernel/feed.ts';
import { withSubject } from './blocks.ts';
import type { ChangeObjectType, ToldChange } from './feed.rules.ts';
import { cursorAt, teller } from './feed.service.ts';
import { type ChangeRow, changesBehind, lastPlace } from './feed.sql.ts';
import { lacksAny } from './pruned.ts';

/** Changes that are looked through at a time. */
const READ = 500;

/** What a reader wants of the log. */
export interface Part {
  /** Behind this place. */
  readonly after: number;
  /** Up to this place; null: as far as `limit` changes go. */
  readonly until: number | null;
  readonly limit: number;
  readonly types: readonly ChangeObjectType[] | null;
  /** Only what is in or of this organization, or was; null: all. */
  readonly organizationId: string | null;
}

/** A change as it is written on lines and in messages. */
export interface ChangeLine extends Omit<ToldChange, 'position'> {
  readonly cursor: string;
  readonly sequence: number;
}

/** What the caller is told of a part. */
export interface ToldPart {
  /** No more than the part's limit. */
  readonly lines: ChangeLine[];
  /** Where they end; `after` where there is nothing behind. */
  readonly end: number;
  /** How many were found beyond the limit. */
  readonly rest: number;
  /** Whether some of the part is no longer in the log; nothing is told then. */
  readonly isLost: boolean;
}

export async function toldBehind(call: Call, part: Part): Promise<ToldPart> {
  const { after, until, limit, types, organizationId } = part;
  // Places have no gaps: so many stand between two of them.
  const rows = await changesBehind(call.sql, after, until === null ? READ : until - after);
  if (await isAnyLost(call, part, rows)) return { lines: [], end: after, rest: 0, isLost: true };
  const changes = rows.map((row) => withSubject(row));
  const wanted = organizationId === null ? changes : changes.filter((change) => isOf(change, organizationId));
  const told = teller(call, types)(wanted);
  const rest = Math.max(0, told.length - limit);
  const lines = told.slice(0, limit).map(lineOf);
  return { lines, end: rest > 0 ? told[limit - 1]!.position : (rows.at(-1)?.position ?? after), rest, isLost: false };
}

/** Whether rows that were read behind a place lack some: the log was emptied, from its beginning on or altogether. */
async function isAnyLost({ sql }: Call, { after, until }: Part, rows: readonly ChangeRow[]): Promise<boolean> {
  if (lacksAny(after, rows) || (until !== null && (rows.at(-1)?.position ?? after) !== until)) return true;
  return rows.length === 0 && (await lastPlace(sql)) < after;
}

function isOf({ objectId, before, after }: LoggedChange, organizationId: string): boolean {
  const owner = (readers: Readers) => (readers?.of === 'dataset' ? readers.ownerOrganizationId : null);
  return [objectId, owner(before), owner(after)].includes(organizationId);
}

const lineOf = ({ position, ...change }: ToldChange): ChangeLine => ({
  cursor: cursorAt(position),
  sequence: position,
  ...change,
});
