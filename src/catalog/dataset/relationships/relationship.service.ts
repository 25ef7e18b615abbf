/** Single relationships between datasets. They show on both sides, so the policies of both datasets apply. */
import { recordRevision } from '../../../changes/changes.service.ts';
import { lockRows } from '../../../infra/postgres/row-lock.sql.ts';
import { type Call, inTransaction } from '../../../kernel/call.ts';
import {
  allow,
  checkVersion,
  notAllowedTo,
  notAuthorized,
  notFound,
  type Problem,
  refuse,
} from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { inOrder } from '../../../kernel/node.ts';
import { linkDocuments } from '../../document/document.service.ts';
import type { RelationshipRow } from '../../document/project.ts';
import type { DatasetFacts } from '../../document/record.ts';
import { mayReadDataset, mayRelateDatasets } from '../dataset.policy.ts';
import { listDatasetFacts } from '../read/facts.store.ts';
import { checkType, inverseOf, type Link, sameLink, seenFrom, storedForm } from './relationship.rules.ts';
import { deleteLink, linksByIds, listLinks, putLink, versionOfDataset } from './relationship.store.ts';

/** The backing type of DatasetRelationship. */
export interface LinkRecord extends Link {
  readonly id: string;
  readonly comment: string;
}

type Maybe<T> = T | null | undefined;
export interface LinkInput {
  readonly subject: string;
  readonly object: string;
  readonly type: string;
  readonly comment?: Maybe<string>;
  /** Of the dataset that the input calls subject. */
  readonly expectedVersion?: Maybe<number>;
}

/**
 * Relationships of a dataset as its subject, latest write last; optionally only with one other dataset, or of one type.
 * Relationships to datasets that the caller may not read are omitted: their existence is never revealed. @throws
 * CatalogError NOT_FOUND (a dataset; an unknown type, or no such relationship with the other dataset), NOT_AUTHORIZED
 * (the first dataset)
 */
export async function datasetLinks(
  call: Call,
  { dataset, other, type }: { dataset: string; other?: Maybe<string>; type?: Maybe<string> },
): Promise<LinkRecord[]> {
  const found = await factsOf(call, other ? [dataset, other] : [dataset]);
  const first = found.get(dataset);
  const second = other ? found.get(other) : null;
  if (!first) throw notFound('The first dataset was not found.');
  if (second === undefined) throw notFound('The second dataset was not found.');
  if (!mayReadAll(call, [first])) throw notAuthorized(notAllowedTo(call.actor, 'read these datasets'));
  const links = (await readableLinks(call, first.id, second?.id ?? null)).filter(
    (link) => !type || sameLink(link, { subjectId: first.id, objectId: seenFrom(link, first.id).objectId, type }),
  );
  if (type && links.length === 0 && (other || inverseOf(type) === undefined))
    throw notFound(`Relationship "${dataset} ${type} ${other ?? ''}" not found.`);
  return links.map((link) => seenFrom(link, first.id));
}

/** Relationships by id, in stored form; null for unknown ones, and unless the caller may read both datasets. */
export async function linkNodes(call: Call, ids: readonly string[]): Promise<(LinkRecord | null)[]> {
  return inOrder(ids, await readable(call, await linksByIds(call.db, ids)), ({ id }) => id);
}

const readableLinks = async (call: Call, datasetId: string, otherId: string | null): Promise<RelationshipRow[]> =>
  readable(call, await listLinks(call.db, datasetId, otherId));

async function readable(call: Call, links: readonly RelationshipRow[]): Promise<RelationshipRow[]> {
  const facts = await factsOf(call, [...new Set(links.flatMap(({ subjectId, objectId }) => [subjectId, objectId]))]);
  return links.filter((link) => mayReadAll(call, [facts.get(link.subjectId)!, facts.get(link.objectId)!]));
}

/** Creates a relationship; an existing one gets the comment. @throws CatalogError VALIDATION, NOT_FOUND, NOT_AUTHORIZED */
export function linkCreate(call: Call, input: LinkInput): Promise<LinkRecord> {
  return change(call, input, async (call, requested, existing) => {
    const problem = checkType(requested.type);
    refuse(problem === null ? [] : [{ path: ['type'], message: problem }]);
    authorize(call, requested);
    return write(call, existing ?? { ...storedForm(linkOf(requested)), id: newId() }, input.comment ?? '', 'Create');
  });
}

/** Changes the comment of a relationship. @throws CatalogError VALIDATION, NOT_FOUND, NOT_AUTHORIZED */
export function linkUpdate(call: Call, input: LinkInput): Promise<LinkRecord> {
  return change(call, input, async (call, requested, existing) => {
    if (!existing) throw notFound('The datasets do not have this relationship.');
    authorize(call, requested);
    return write(call, existing, input.comment ?? '', 'Update');
  });
}

/** Deletes a relationship and returns its id. @throws CatalogError VALIDATION, NOT_FOUND, NOT_AUTHORIZED */
export function linkDelete(call: Call, input: LinkInput): Promise<string> {
  return change(call, input, async (call, requested, existing) => {
    if (!existing) throw notFound();
    authorize(call, requested);
    await deleteLink(call.db, existing.id);
    await record(call, existing, newId(), 'Delete');
    return existing.id;
  });
}

/** Both datasets, locked, and the type of the relationship. */
interface RequestedLink {
  readonly subject: DatasetFacts;
  readonly object: DatasetFacts;
  readonly type: string;
}

const linkOf = ({ subject, object, type }: RequestedLink): Link => ({
  subjectId: subject.id,
  objectId: object.id,
  type,
});

/** Only callers who may read both datasets learn whether a relationship exists. */
function change<T>(
  call: Call,
  { subject, object, type, expectedVersion }: LinkInput,
  work: (call: Call, requested: RequestedLink, existing: RelationshipRow | null) => Promise<T>,
): Promise<T> {
  refuse(
    Object.entries({ subject, object, type }).flatMap(([field, value]): Problem[] =>
      value === '' ? [{ path: [field], message: 'Missing value' }] : [],
    ),
  );
  return inTransaction(call, async (call) => {
    await lockRows(
      call.sql,
      'dataset',
      [...(await factsOf(call, [subject, object])).values()].map(({ id }) => id),
    );
    const found = await factsOf(call, [subject, object]);
    const requested = { subject: found.get(subject), object: found.get(object), type };
    if (!requested.subject) throw notFound(`The subject '${subject}' was not found.`);
    if (!requested.object) throw notFound(`The object '${object}' was not found.`);
    const both = requested as RequestedLink;
    if (!mayReadAll(call, [both.subject, both.object])) authorize(call, both);
    if (expectedVersion != null)
      checkVersion('The dataset', await versionOfDataset(call.db, both.subject.id), expectedVersion);
    const links = await listLinks(call.db, both.subject.id, both.object.id);
    return work(call, both, links.find((link) => sameLink(link, linkOf(both))) ?? null);
  });
}

/** Repeating an existing relationship is a write too and makes a revision, as with every other object. */
async function write(
  call: Call,
  existing: Omit<RelationshipRow, 'comment' | 'revisionId'>,
  comment: string,
  verb: string,
): Promise<LinkRecord> {
  const link = { ...existing, comment, revisionId: newId() };
  await putLink(call.db, link);
  await record(call, link, link.revisionId, verb);
  return link;
}

/** The message names no dataset, because readers of one may not be allowed to read the other. */
async function record(call: Call, link: LinkRecord, revisionId: string, verb: string): Promise<void> {
  const { id, subjectId, objectId, type } = link;
  const ids = [...new Set([subjectId, objectId])];
  await recordRevision(
    call,
    revisionId,
    `REST API: ${verb} package relationship`,
    ids.map((objectId) => ({
      objectType: 'dataset',
      objectId,
      action: 'updated',
      detail: { relationship: { id, type } },
    })),
  );
  await linkDocuments(call, ids, revisionId);
}

/** Facts by the id or name that refers to the dataset. */
async function factsOf(call: Call, refs: readonly string[]): Promise<Map<string, DatasetFacts>> {
  return new Map((await listDatasetFacts(call.sql, refs)).map(({ ref, facts }) => [ref, facts]));
}

const mayReadAll = (call: Call, datasets: readonly DatasetFacts[]): boolean =>
  datasets.every((dataset) => mayReadDataset(call.actor, dataset, call.settings) === null);

/** @throws CatalogError NOT_AUTHORIZED unless the caller may read both and change one */
function authorize(call: Call, { subject, object }: RequestedLink): void {
  allow(mayRelateDatasets(call.actor, [subject, object], call.settings));
}
