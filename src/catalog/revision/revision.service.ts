/** Revisions: author, object, time and message of each change. Read-only; every write makes its own (changes). */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { type CatalogError, notAllowedTo, notAuthorized, notFound } from '../../kernel/errors.ts';
import { JsonText } from '../../kernel/json.ts';
import { inOrder } from '../../kernel/node.ts';
import { datasetShow } from '../dataset/dataset.service.ts';
import { readerOf } from '../document/readable.ts';
import { groupShow } from '../group/group.service.ts';
import { revisionsOfGroup } from './pages.sql.ts';
import {
  countRevisions,
  idsText,
  type ListedRevision,
  listRevisions,
  pageOfRevisions,
  revisionsOfDataset,
} from './revision.sql.ts';
import type { RevisionRecord } from './revision.store.ts';

/** A page of revisions. */
export type RevisionPage = Connection<RevisionRecord>;

/** One revision. @throws CatalogError NOT_FOUND; NOT_AUTHORIZED if all its objects are hidden from the caller */
export async function revisionShow(call: Call, id: string): Promise<RevisionRecord> {
  const found = await revisionNamed(call, id);
  if (!found.visible) throw unreadable(call, id);
  return found;
}

async function revisionNamed(call: Call, id: string): Promise<Awaited<ReturnType<typeof listRevisions>>[number]> {
  const [found] = await listRevisions(call.sql, [id], readerOf(call.actor));
  if (!found) throw notFound('Revision was not found.');
  return found;
}

const unreadable = ({ actor }: Call, id: string): CatalogError =>
  notAuthorized(notAllowedTo(actor, `read revision ${id}`));

/**
 * Checks a revision that a reader continues from. Revisions of purged objects are valid too, if the reader could see
 * them before. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED
 */
async function checkPosition(call: Call, id: string): Promise<void> {
  const { visible, purged } = await revisionNamed(call, id);
  if (!visible && !purged) throw unreadable(call, id);
}

/** Revisions in the order of the ids; null for a missing one or one that the caller may not see. */
export async function revisionNodes(call: Call, ids: readonly string[]): Promise<(RevisionRecord | null)[]> {
  const rows = await listRevisions(call.sql, ids, readerOf(call.actor));
  return inOrder(
    ids,
    rows.filter(({ visible }) => visible),
    ({ id }) => id,
  );
}

/** A page of all revisions, latest first. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function revisionConnection(call: Call, args: PageArgs): Promise<RevisionPage> {
  const page = keyset(args, ['number', 'string'], call.settings['catalog.limits.rows']);
  const reader = readerOf(call.actor);
  const rows: RevisionRecord[] = await pageOfRevisions(call.sql, page, reader);
  return connection(
    rows,
    page,
    (revision) => [(revision as ListedRevision).micros, revision.id],
    () => countRevisions(call.sql, reader),
  );
}

interface IdsRequest {
  limit?: number | null;
  offset?: number | null;
  since?: Date | null;
  sinceId?: string | null;
}

/** Ids of revisions as JSON text, latest first. @throws CatalogError VALIDATION (negative numbers), NOT_FOUND, NOT_AUTHORIZED (sinceId) */
export async function revisionIds(call: Call, { limit, offset, since, sinceId }: IdsRequest): Promise<JsonText> {
  const page = position({ limit, offset }, Number.MAX_SAFE_INTEGER);
  if (sinceId != null) await checkPosition(call, sinceId);
  const after = { moment: since ?? null, revisionId: sinceId ?? null };
  return new JsonText(
    await idsText(call.sql, readerOf(call.actor), limit == null ? null : page.limit, page.offset, after),
  );
}

/** All revisions of a dataset after which the caller could read it, latest first. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function datasetRevisions(call: Call, idOrName: string): Promise<RevisionRecord[]> {
  const { id } = await datasetShow(call, idOrName);
  return revisionsOfDataset(call.sql, id, readerOf(call.actor));
}

/**
 * All revisions of a group or organization, including changes of members and datasets, latest first. @throws
 * CatalogError NOT_FOUND, NOT_AUTHORIZED
 */
export async function groupRevisions(call: Call, idOrName: string): Promise<RevisionRecord[]> {
  const { id } = await groupShow(call, idOrName, null);
  return revisionsOfGroup(call.sql, id, readerOf(call.actor));
}
