/** Names that could be given. Everybody may ask: who creates something is told the same. */
import type { Call } from '../../kernel/call.ts';
import { isReserved, type SlugKind, slugOf } from './name.rules.ts';
import { isTaken, type NamedKind } from './name.store.ts';

/** Whether the name is neither taken nor reserved. */
export const isNameFree = async (
  { db }: Pick<Call, 'db'>,
  { name, of }: { name: string; of: NamedKind },
): Promise<boolean> => !isReserved(name) && !(await isTaken(db, of, name));

/** The backing type of Slug. */
export interface SlugRecord {
  readonly text: string;
}

/** The text as a name. */
export const slug = ({ text, of }: { text: string; of: SlugKind }): SlugRecord => ({ text: slugOf(text, of) });
