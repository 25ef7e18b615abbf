/** Copies relationships between datasets of a source, replacing source ids by local ids. */
import { isObject } from '../../kernel/json.ts';
import { type Dictionary, findRecord, type RecordRunner, updateDataset } from '../../records/gateway.ts';
import type { Known } from './known.ts';

/** A relationship to another dataset, by its id at the source. */
export interface Relation {
  readonly other: string;
  readonly type: string;
  readonly comment: string;
}

/** Sets a dataset's relationships, as far as the other datasets come from the same source. */
export async function relate(
  { runner, known }: { readonly runner: RecordRunner; readonly known: Known },
  recordId: string,
  relations: readonly Relation[],
): Promise<void> {
  const subject = await known.find('dataset', recordId);
  const stored = subject?.objectId ? await findRecord(runner, 'dataset', subject.objectId) : null;
  if (!stored) return;
  const requested: Relation[] = [];
  for (const relation of relations) {
    const other = await known.find('dataset', relation.other);
    if (other?.objectId && other.state === 'here') requested.push({ ...relation, other: other.objectId });
  }
  const present = relationsOf(stored);
  if (requested.map(textOf).sort().join() === present.map(textOf).sort().join()) return;
  const list = requested.map(({ other, ...relation }) => ({ ...relation, object: other }));
  await updateDataset(runner, String(stored.id), { relationships_as_subject: list });
}

/** Relationships in a dataset's record that have it as their subject. */
export function relationsOf(record: Dictionary): Relation[] {
  const list = Array.isArray(record.relationships_as_subject) ? record.relationships_as_subject : [];
  return list.filter(isObject).flatMap(({ type, comment, object_package_id, __extras }) => {
    const other = object_package_id ?? (isObject(__extras) ? __extras.object_package_id : null);
    return typeof other === 'string' && typeof type === 'string'
      ? [{ other, type, comment: String(comment ?? '') }]
      : [];
  });
}

const textOf = (relation: Relation): string => JSON.stringify([relation.other, relation.type, relation.comment]);
