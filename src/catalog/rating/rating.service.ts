/** Ratings of readable datasets, one per user. */
import { recordRevision } from '../../changes/changes.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, orNull, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { datasetShow } from '../dataset/dataset.service.ts';
import type { DatasetRecord } from '../document/record.ts';
import { mayRate } from './rating.policy.ts';
import { checkRated, checkRating } from './rating.rules.ts';
import { putRating } from './rating.store.ts';

/** Stores the caller's rating and returns the dataset. @throws CatalogError NOT_AUTHORIZED, VALIDATION */
export function datasetRate(call: Call, input: { dataset: string; rating: number }): Promise<DatasetRecord> {
  allow(mayRate(call.actor));
  refuse(checkRating(input.rating));
  return inTransaction(call, async (call) => {
    const dataset = await orNull(datasetShow(call, input.dataset));
    const action = dataset && (await putRating(call, dataset.id, call.actor.userId!, input.rating));
    refuse(checkRated(input.dataset, action !== null));
    await recordRevision(call, newId(), `Rate dataset ${dataset!.name}`, [
      {
        objectType: 'rating',
        objectId: dataset!.id,
        action: action!,
        detail: { name: dataset!.name, rating: input.rating },
      },
    ]);
    return dataset!;
  });
}
