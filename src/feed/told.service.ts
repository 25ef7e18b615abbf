/** Parts of the log for readers who are told by messages: what they are told of a part, in the form that all doors have. */
import type { Call } from '../kernel/call.ts';
import type { LoggedChange, Readers } from '../kernel/feed.ts';
import type { ChangeObjectType, ToldChange } from './feed.rules.ts';
import { cursorAt, teller } from './feed.service.ts';
import { changesBehind } from './feed.store.ts';
import { withSubject } from './live.ts';

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

/** What the caller is told of a part, and where it ends; `end` is `after` where there is nothing behind. */
export async function toldBehind(call: Call, part: Part): Promise<{ lines: ChangeLine[]; end: number }> {
  const { after, until, limit, types, organizationId } = part;
  // Places have no gaps: so many stand between two of them.
  const rows = await changesBehind(call.sql, after, until === null ? READ : until - after);
  const changes = rows.map((row) => withSubject(row));
  const wanted = organizationId === null ? changes : changes.filter((change) => isOf(change, organizationId));
  const told = teller(call, types)(wanted);
  const isCut = until === null && told.length > limit;
  const lines = (isCut ? told.slice(0, limit) : told).map(lineOf);
  return { lines, end: isCut ? told[limit - 1]!.position : (rows.at(-1)?.position ?? after) };
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
