/** Relationships in a dataset's input: typed links to other datasets, written on both sides. */
import type { Call } from '../../../kernel/call.ts';
import { allow, type Problem } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { refreshRelationshipsInDocuments } from '../../document/document.service.ts';
import type { DatasetParts, RelationshipRow } from '../../document/project.ts';
import { mayReadDataset } from '../dataset.policy.ts';
import { checkRelationships } from '../dataset.rules.ts';
import { listDatasetFacts } from '../read/facts.store.ts';
import type { DatasetInput } from '../write/input.ts';
import { writeRelationships } from './write.store.ts';

/** Both lists after the write; null keeps the stored list. */
export interface RelationshipDraft {
  asSubject: RequestedLink[] | null;
  asObject: RequestedLink[] | null;
  /** Related datasets that the caller may not read. The caller never saw them, so omitting them does not remove them. */
  hidden: ReadonlySet<string>;
}

interface RequestedLink {
  otherId: string;
  type: string;
  comment: string;
}

const SIDES = ['relationshipsAsSubject', 'relationshipsAsObject'] as const;
type Side = (typeof SIDES)[number];

/** The stored relationships of one side: the other end, type and comment. */
const stored = (existing: DatasetParts | null, side: Side): RequestedLink[] =>
  side === 'relationshipsAsSubject'
    ? (existing?.asSubject ?? []).map(({ objectId, type, comment }) => ({ otherId: objectId, type, comment }))
    : (existing?.asObject ?? []).map(({ subjectId, type, comment }) => ({ otherId: subjectId, type, comment }));

/**
 * Finds the datasets that the input names; one statement. Adds problems to the list. The caller may change this
 * dataset, so reading the others is enough (mayRelateDatasets). One unreadable dataset refuses the whole write. @throws
 * CatalogError NOT_AUTHORIZED
 */
export async function draftRelationships(
  call: Call,
  input: DatasetInput,
  problems: Problem[],
  existing: DatasetParts | null,
): Promise<RelationshipDraft> {
  const draft = { asSubject: null, asObject: null, hidden: new Set<string>() };
  if (!input.relationshipsAsSubject && !input.relationshipsAsObject) return draft;
  const before = SIDES.flatMap((side) => stored(existing, side));
  const named = SIDES.flatMap((side) => (input[side] ?? []).map(({ dataset }) => dataset));
  const refs = [...new Set([...named, ...before.map(({ otherId }) => otherId)])];
  const found = refs.length === 0 ? [] : await listDatasetFacts(call.sql, refs);
  const facts = new Map(found.map(({ ref, facts }) => [ref, facts]));
  for (const { otherId } of before)
    if (mayReadDataset(call.actor, facts.get(otherId)!, call.settings) !== null) draft.hidden.add(otherId);
  const side = (name: Side): RequestedLink[] | null => {
    const links = input[name];
    if (!links) return null;
    for (const problem of checkRelationships(name, links)) problems.push(problem);
    return links.flatMap(({ dataset, type, comment }, index) => {
      const other = facts.get(dataset);
      if (!other) {
        problems.push({ path: [name, index, 'dataset'], message: 'Dataset was not found.' });
        return [];
      }
      allow(mayReadDataset(call.actor, other, call.settings), dataset);
      return [{ otherId: other.id, type, comment: comment ?? '' }];
    });
  };
  return { ...draft, asSubject: side('relationshipsAsSubject'), asObject: side('relationshipsAsObject') };
}

/** Writes the drafted lists and refreshes the other datasets' documents. Returns this dataset's new lists. */
export async function putRelationships(
  call: Call,
  id: string,
  draft: RelationshipDraft,
  existing: DatasetParts | null,
  revisionId: string,
): Promise<{ asSubject: RelationshipRow[]; asObject: RelationshipRow[] }> {
  const before = { asSubject: existing?.asSubject ?? [], asObject: existing?.asObject ?? [] };
  if (draft.asSubject === null && draft.asObject === null) return before;
  const asSubject = rows(draft.asSubject, before.asSubject, draft.hidden, revisionId, (otherId) => ({
    subjectId: id,
    objectId: otherId,
  }));
  const asObject = rows(draft.asObject, before.asObject, draft.hidden, revisionId, (otherId) => ({
    subjectId: otherId,
    objectId: id,
  }));
  const others = [...before.asSubject, ...asSubject]
    .map(({ objectId }) => objectId)
    .concat([...before.asObject, ...asObject].map(({ subjectId }) => subjectId));
  const written = together(draft, asSubject, asObject);
  await writeRelationships(call.db, id, written, revisionId);
  await refreshRelationshipsInDocuments(
    call,
    [...new Set(others)].filter((other) => other !== id),
  );
  return {
    asSubject: written.filter(({ subjectId }) => subjectId === id),
    asObject: written.filter(({ objectId }) => objectId === id),
  };
}

/** Both lists, each relationship once. A relationship of a dataset with itself is in both; the list in the input decides about it. */
function together(
  draft: RelationshipDraft,
  asSubject: readonly RelationshipRow[],
  asObject: readonly RelationshipRow[],
): RelationshipRow[] {
  const decided = (links: RequestedLink[] | null, list: readonly RelationshipRow[]) =>
    links === null ? list.filter(({ subjectId, objectId }) => subjectId !== objectId) : list;
  return once([...decided(draft.asObject, asObject), ...decided(draft.asSubject, asSubject)]);
}

const once = (rows: readonly RelationshipRow[]): RelationshipRow[] => [
  ...new Map(rows.map((row) => [`${row.subjectId} ${row.objectId} ${row.type}`, row])).values(),
];

function rows(
  requested: RequestedLink[] | null,
  before: RelationshipRow[],
  hidden: ReadonlySet<string>,
  revisionId: string,
  ends: (otherId: string) => { subjectId: string; objectId: string },
): RelationshipRow[] {
  if (requested === null) return before;
  const made = requested.map(({ otherId, type, comment }): RelationshipRow => {
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
  const retained = before.filter(({ subjectId, objectId }) => hidden.has(subjectId) || hidden.has(objectId));
  return once([...retained, ...made]);
}
