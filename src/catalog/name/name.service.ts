/** Suggests free names. Everyone may use it: creating an object reveals the same. */
import type { Call } from '../../kernel/call.ts';
import { isReserved, type SlugKind, slugOf } from './name.rules.ts';
import { isTaken, type NamedKind } from './name.store.ts';

/** Whether the name is neither used nor reserved. */
export const isNameFree = async (
  { db }: Pick<Call, 'db'>,
  { name, of }: { name: string; of: NamedKind },
): Promise<boolean> => !isReserved(name) && !(await isTaken(db, of, name));

/** The backing type of Slug. */
export interface SlugRecord {
  readonly text: string;
}

/** A name made from the text. */
export const slug = ({ text, of }: { text: string; of: SlugKind }): SlugRecord => ({ text: slugOf(text, of) });
