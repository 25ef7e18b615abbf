/** Names and times of datasets, without their documents: for lists of the whole catalog. */
import type { Call } from '../../../kernel/call.ts';
import { position } from '../../../kernel/connection.ts';
import { limitAt } from '../../../kernel/errors.ts';
import { listStamps, type Stamp } from './stamps.store.ts';

/** Stamps of one list. More than of other lists, because they are small and each list reads from the start. */
const MAX = 10_000;

/** Active public datasets, oldest change first. @throws CatalogError LIMIT, VALIDATION (negative numbers) */
export async function datasetStamps({ db }: Call, args: { limit: number; offset: number }): Promise<Stamp[]> {
  if (args.limit > MAX) {
    throw limitAt('limit', `Must be at most ${MAX} (got ${args.limit})`);
  }
  const { limit, offset } = position(args, MAX);
  return listStamps(db, limit, offset);
}
