/** Relationships given with a dataset: typed links to other datasets, written on both sides. */
import type { Call } from '../../kernel/call.ts';
import { notAuthorized, type Problem } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { refreshRelationshipsInDocuments } from '../document/document.service.ts';
import type { DatasetParts, RelationshipRow } from '../document/project.ts';
import { mayUpdateDataset } from './dataset.policy.ts';
import { checkRelationships } from './dataset.rules.ts';
import type { DatasetInput, RelationshipInput } from './input.ts';
import { listDatasetFacts, writeRelationships } from './relationships.store.ts';

/** Both lists as they shall be; null keeps what is stored. */
export interface RelationshipDraft {
  asSubject: Wanted[] | null;
  asObject: Wanted[] | null;
}

interface Wanted {
  otherId: string;
  type: string;
  comment: string;
}

/**
 * Finds the datasets that the input names. Problems are pushed; a dataset that the caller may not update refuses the whole
 * write, as a link shows on both sides. @throws CatalogError NOT_AUTHORIZED
 */
export async function draftRelationships(
  call: Call,
  input: DatasetInput,
  problems: Problem[],
): Promise<RelationshipDraft> {
  const given = [...(input.relationshipsAsSubject ?? []), ...(input.relationshipsAsObject ?? [])];
  const others = given.length > 0 ? await findOthers(call, given) : new Map<string, string>();
  const side = (field: 'relationshipsAsSubject' | 'relationshipsAsObject'): Wanted[] | null => {
    const wanted = input[field];
    if (!wanted) return null;
    for (const problem of checkRelationships(field, wanted)) problems.push(problem);
    return wanted.flatMap(({ dataset, type, comment }, index) => {
      const otherId = others.get(dataset);
      if (otherId) return [{ otherId, type, comment: comment ?? '' }];
      problems.push({ path: [field, index, 'dataset'], message: 'Dataset was not found.' });
      return [];
    });
  };
  return { asSubject: side('relationshipsAsSubject'), asObject: side('relationshipsAsObject') };
}

/** Ids of the datasets that are named, by the text that names them; one statement. @throws CatalogError NOT_AUTHORIZED */
async function findOthers(call: Call, given: readonly RelationshipInput[]): Promise<Map<string, string>> {
  const refs = [...new Set(given.map(({ dataset }) => dataset))];
  const found = await listDatasetFacts(call.sql, refs);
  for (const { facts } of found) {
    const reason = mayUpdateDataset(call.actor, facts, call.settings);
    if (reason) throw notAuthorized(reason);
  }
  return new Map(found.map(({ ref, facts }) => [ref, facts.id]));
}

/** Writes the drafted lists and refreshes the other datasets' documents. Answers this dataset's lists as they are now. */
export async function putRelationships(
  call: Call,
  id: string,
  draft: RelationshipDraft,
  existing: DatasetParts | null,
  revisionId: string,
): Promise<{ asSubject: RelationshipRow[]; asObject: RelationshipRow[] }> {
  const before = { asSubject: existing?.asSubject ?? [], asObject: existing?.asObject ?? [] };
  if (draft.asSubject === null && draft.asObject === null) return before;
  const asSubject = rows(draft.asSubject, before.asSubject, revisionId, (otherId) => ({
    subjectId: id,
    objectId: otherId,
  }));
  const asObject = rows(draft.asObject, before.asObject, revisionId, (otherId) => ({
    subjectId: otherId,
    objectId: id,
  }));
  await writeRelationships(call.db, id, [...asSubject, ...asObject]);
  const others = [...before.asSubject, ...asSubject]
    .map(({ objectId }) => objectId)
    .concat([...before.asObject, ...asObject].map(({ subjectId }) => subjectId));
  await refreshRelationshipsInDocuments(
    call,
    [...new Set(others)].filter((other) => other !== id),
  );
  return { asSubject, asObject };
}

function rows(
  wanted: Wanted[] | null,
  before: RelationshipRow[],
  revisionId: string,
  ends: (otherId: string) => { subjectId: string; objectId: string },
): RelationshipRow[] {
  if (wanted === null) return before;
  const made = wanted.map(({ otherId, type, comment }): RelationshipRow => {
    const link = ends(otherId);
    const same = before.find(
      (row) => row.subjectId === link.subjectId && row.objectId === link.objectId && row.type === type,
    );
    return {
      id: same?.id ?? newId(),
      ...link,
      type,
      comment,
      revisionId: same && same.comment === comment ? same.revisionId : revisionId,
    };
  });
  return [...new Map(made.map((row) => [`${row.subjectId} ${row.objectId} ${row.type}`, row])).values()];
}
