/** Hides relationships to datasets that the caller may not read. */
import { JsonText } from '../../../kernel/json.ts';
import { compareText } from '../../../kernel/text.ts';
import { type DatasetBody, type DatasetRecord, isLinked, type RelationshipBody } from '../../document/record.ts';
import { seenFrom } from '../relationships/relationship.rules.ts';
import type { LinkRecord } from '../relationships/relationship.service.ts';

/** The request's loaders: many documents cost one statement. */
interface Loaders {
  mayReadDataset: { load(id: string): Promise<boolean> };
}

const otherEnd = ({ __extras: ends }: RelationshipBody, datasetId: string): string =>
  ends.subject_package_id === datasetId ? ends.object_package_id : ends.subject_package_id;

/** Ids of the related datasets. */
export const linkedTo = (body: DatasetBody): string[] =>
  [...body.relationships_as_subject, ...body.relationships_as_object].map((it) => otherEnd(it, body.id));

/** The related datasets that the caller may not read. */
async function hiddenEnds(loaders: Loaders, body: DatasetBody): Promise<Set<string>> {
  const ends = linkedTo(body);
  const read = await Promise.all(ends.map((id) => id === body.id || loaders.mayReadDataset.load(id)));
  return new Set(ends.filter((_id, index) => !read[index]));
}

/** The dataset's document for the caller. Most documents show no relationship and are returned unchanged. */
export async function visibleDocument(loaders: Loaders, { body, document }: DatasetRecord): Promise<JsonText> {
  if (!isLinked(body)) return document;
  const hidden = await hiddenEnds(loaders, body);
  return hidden.size === 0 ? document : new JsonText(JSON.stringify(without(body, hidden)));
}

/** Relationships with the dataset as their subject; by type, then by the other dataset's id. */
export async function visibleLinks(loaders: Loaders, { body }: DatasetRecord): Promise<LinkRecord[]> {
  const { relationships_as_subject: asSubject, relationships_as_object: asObject } = without(
    body,
    await hiddenEnds(loaders, body),
  );
  const links = [...asSubject, ...asObject].map(({ id, type, comment, __extras: ends }) =>
    seenFrom({ id, type, comment, subjectId: ends.subject_package_id, objectId: ends.object_package_id }, body.id),
  );
  const once = [...new Map(links.map((link) => [link.id, link])).values()];
  return once.sort((a, b) => compareText(a.type, b.type) || compareText(a.objectId, b.objectId));
}

/** The body without relationships with these datasets. */
export function without(body: DatasetBody, hidden: ReadonlySet<string>): DatasetBody {
  const shown = (list: RelationshipBody[]) => list.filter((it) => !hidden.has(otherEnd(it, body.id)));
  return {
    ...body,
    relationships_as_subject: shown(body.relationships_as_subject),
    relationships_as_object: shown(body.relationships_as_object),
  };
}
