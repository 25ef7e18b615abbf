/** Reads of datasets, and writes that change no fields. */
import { forgetPast, recordRevision } from '../../changes/changes.service.ts';
import { afterCommit, type Call, inTransaction } from '../../kernel/call.ts';
import { position } from '../../kernel/connection.ts';
import { allow, checkVersion, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { JsonText } from '../../kernel/json.ts';
import { refreshRelationshipsInDocuments } from '../document/document.service.ts';
import { readerOf } from '../document/readable.ts';
import type { DatasetRecord } from '../document/record.ts';
import { removeDiscarded } from '../file/file.service.ts';
import { imageAddress } from '../file/image.rules.ts';
import { mayCreateDataset, mayPurgeDataset, mayReadDataset, mayUpdateDataset } from './dataset.policy.ts';
import {
  findDocument,
  listDocuments,
  listSuggestions,
  lockDataset,
  moreNamesText,
  namesText,
  type SuggestionRow,
} from './dataset.sql.ts';
import { deleteDataset } from './dataset.store.ts';
import { publicList } from './read/names.sql.ts';
import { listLinks } from './relationships/relationship.store.ts';
import { datasetPatch } from './write/write.service.ts';

/**
 * One dataset by id or name. `sent` ends the error message when the caller sent something else that led to this id.
 * `isName`: only by name. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED
 */
export async function datasetShow(
  call: Call,
  idOrName: string,
  sent: string = idOrName,
  isName = false,
): Promise<DatasetRecord> {
  const found = await findDocument(call.sql, idOrName, isName);
  if (!found) throw notFound();
  allow(mayReadDataset(call.actor, found, call.settings), sent);
  return found;
}

/** Datasets in the order of the ids; null for a missing dataset or one that the caller may not read. */
export async function datasetsByIds(call: Call, ids: readonly string[]): Promise<(DatasetRecord | null)[]> {
  const found = new Map((await listDocuments(call.sql, ids)).map((record) => [record.id, record]));
  return ids.map((id) => {
    const record = found.get(id);
    return record && mayReadDataset(call.actor, record, call.settings) === null ? record : null;
  });
}

interface NamesArgs {
  readonly limit?: number | null;
  readonly offset?: number | null;
  readonly includePrivate?: boolean | null;
  readonly includeDrafts?: boolean | null;
  readonly includeDeleted?: boolean | null;
}

/**
 * Names of active public datasets as JSON text, and requested others that the caller may read. `offset` applies only
 * with a limit, per contract.
 */
export async function datasetNames(
  { sql, actor }: Call,
  { limit, offset, includePrivate, includeDrafts, includeDeleted }: NamesArgs,
): Promise<JsonText> {
  const page = position({ limit, offset }, Number.MAX_SAFE_INTEGER);
  const slice = [limit == null ? null : page.limit, limit == null ? 0 : page.offset] as const;
  const more = [Boolean(includePrivate), Boolean(includeDrafts), Boolean(includeDeleted)] as const;
  if (more.includes(true)) return new JsonText(await moreNamesText(sql, slice, more, readerOf(actor)));
  return limit == null ? publicList(sql, 'name') : new JsonText(await namesText(sql, ...slice));
}

/** Ids of all active public datasets, ordered by name, as JSON text. */
export const datasetIds = ({ sql }: Call): Promise<JsonText> => publicList(sql, 'dataset_id');

/** Three letters or digits in a row: the minimum for which the index of names and titles finds text inside a word. */
const FINDABLE = /[\p{L}\p{N}]{3}/u;

/**
 * Public datasets whose name or title starts with or contains the text (catalog.action_api.autocomplete). @throws
 * CatalogError LIMIT, VALIDATION (negative limit)
 */
export async function datasetSuggestions(
  call: Call,
  { text, limit }: { text: string; limit?: number | null },
): Promise<SuggestionRow[]> {
  const { settings } = call;
  const anywhere = settings['catalog.action_api.autocomplete'] === 'anywhere' && FINDABLE.test(text);
  const timeout = { seconds: settings['search.timeout'], setting: 'search.timeout' };
  const { limit: max } = position({ limit: limit ?? 10 }, settings['catalog.limits.rows']);
  return listSuggestions(call.sql, text, max, anywhere ? timeout : null);
}

/** Marks a dataset deleted. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export function datasetDelete(
  call: Call,
  input: { dataset: string; expectedVersion?: number | null },
): Promise<DatasetRecord> {
  return datasetPatch(call, { ...input, state: 'deleted', message: `REST API: Delete Package: ${input.dataset}` });
}

/** Purges a dataset and returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export function datasetPurge(
  call: Call,
  { dataset, expectedVersion }: { dataset: string; expectedVersion?: number | null },
): Promise<string> {
  allow(mayPurgeDataset(call.actor));
  return inTransaction(call, async (call) => {
    const locked = await lockDataset(call.sql, dataset);
    if (!locked) throw notFound('Dataset was not found');
    checkVersion('The dataset', locked.version, expectedVersion);
    const found = await findDocument(call.sql, locked.id);
    const links = await listLinks(call.db, locked.id, null);
    await deleteDataset(call.db, locked.id);
    await forgetPast(call, 'dataset', locked.id);
    const others = links.map(({ subjectId, objectId }) => (subjectId === locked.id ? objectId : subjectId));
    await refreshRelationshipsInDocuments(call, [...new Set(others)]);
    afterCommit(call, removeDiscarded);
    await recordRevision(call, newId(), `REST API: Purge dataset ${found?.name ?? locked.id}`, [
      {
        objectType: 'dataset',
        objectId: locked.id,
        action: 'purged',
        detail: { name: found?.name },
      },
    ]);
    return locked.id;
  });
}

export const canUpdateDataset = ({ actor, settings }: Call, dataset: DatasetRecord): boolean =>
  mayUpdateDataset(actor, dataset, settings) === null;

export const canCreateDatasets = ({ actor, settings }: Call): boolean => mayCreateDataset(actor, settings) === null;

/** The URL of an organization's image for browsers. Documents store the image as it was entered. */
export const embeddedImage = (call: Call, imageUrl: string): string =>
  imageAddress('group', imageUrl, call.settings['catalog.site_url']);
