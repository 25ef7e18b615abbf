/** Documents as the caller may see them, inside services. Resolvers use the request's loaders instead. */
import type { Call } from '../../../kernel/call.ts';
import { type DatasetBody, isLinked } from '../../document/record.ts';
import { mayReadDataset } from '../dataset.policy.ts';
import { listDatasetFacts } from './facts.store.ts';
import { linkedTo, without } from './visible.ts';

/** The body without relationships to datasets that the caller may not read; one statement when it shows any. */
export async function visibleTo(call: Call, body: DatasetBody): Promise<DatasetBody> {
  if (!isLinked(body)) return body;
  const ends = [...new Set(linkedTo(body))];
  const found = await listDatasetFacts(call.sql, ends);
  const read = new Set(
    found.filter(({ facts }) => mayReadDataset(call.actor, facts, call.settings) === null).map(({ facts }) => facts.id),
  );
  return without(body, new Set(ends.filter((id) => id !== body.id && !read.has(id))));
}
