/** Names and times of datasets, without their documents: for lists of the whole catalog. */
import type { Call } from '../../../kernel/call.ts';
import { position } from '../../../kernel/connection.ts';
import { listStamps, type Stamp } from './stamps.store.ts';

/** Active public datasets, oldest change first. @throws CatalogError LIMIT, VALIDATION (negative numbers) */
export async function datasetStamps(
  { db, settings }: Call,
  args: { limit?: number | null; offset?: number | null },
): Promise<Stamp[]> {
  const { limit, offset } = position(args, settings['catalog.limits.rows']);
  return listStamps(db, limit, offset);
}
