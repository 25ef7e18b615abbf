/** Updates the search index with the documents. Call these functions inside the transaction that writes a document. */
import type { DatasetBody } from '../../catalog/document/record.ts';
import { walk } from '../../kernel/all-pages.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { notAuthorized } from '../../kernel/errors.ts';
import { stemsOf } from '../words/stemmers.ts';
import { type Entry, entryOf } from './entry.rules.ts';
import {
  type IndexFault,
  type IndexStatus,
  isAnyMissing,
  listDocumentTexts,
  listFaults,
  listIdsAfter,
  listRenamed,
  purgeEntries,
  readStatus,
  writeEntries,
} from './index.sql.ts';

const BATCH = 200;

const stems = (call: Call) => stemsOf(call.settings['catalog.locale_default']);

/** Returns a function that builds entries. Call it before the first statement of a write, so that the transaction does not wait for it. */
export async function prepareEntry(call: Call): Promise<(body: DatasetBody) => Entry> {
  const stem = await stems(call);
  return (body) => entryOf(body, stem);
}

/** Writes a dataset's index entry. Write its document first. */
export const indexEntry = (call: Call, entry: Entry): Promise<void> => writeEntries(call.sql, [entry]);

/** Re-indexes these datasets from their documents. */
export async function indexDatasets(call: Call, ids: readonly string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += BATCH) {
    const entries = await entriesOf(call, ids.slice(from, from + BATCH));
    if (entries.length > 0) await writeEntries(call.sql, entries);
  }
}

/** After a change of a group or organization, re-indexes its datasets under its current name, or without it when it is inactive. */
export const indexGroup = async (call: Call, group: { id: string; isOrganization: boolean }): Promise<void> =>
  indexDatasets(call, await listRenamed(call.sql, group));

async function entriesOf(call: Call, ids: readonly string[]): Promise<Entry[]> {
  const stem = await stems(call);
  return (await listDocumentTexts(call.sql, ids)).map((text) => entryOf(JSON.parse(text) as DatasetBody, stem));
}

/**
 * Compares the index with the documents. Yields the number checked and the faults per batch. Sysadmins only.
 * @throws CatalogError NOT_AUTHORIZED
 */
export async function* searchCheck(call: Call): AsyncGenerator<{ checked: number; faults: IndexFault[] }> {
  for await (const ids of batches(call)) {
    const faults = await inTransaction(call, async (call) => listFaults(call.sql, await entriesOf(call, ids), ids));
    yield { checked: ids.length, faults };
  }
}

/** Rebuilds the index from the documents. Yields the number written per batch. Sysadmins only. @throws CatalogError NOT_AUTHORIZED */
export async function* searchRebuild(call: Call): AsyncGenerator<number> {
  for await (const ids of batches(call)) {
    yield await inTransaction(call, async (call) => {
      const entries = await entriesOf(call, ids);
      if (entries.length > 0) await writeEntries(call.sql, entries);
      await purgeEntries(call.sql, ids);
      return entries.length;
    });
  }
}

function batches({ actor, sql }: Call): AsyncGenerator<string[]> {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may check or rebuild the search index');
  return walk(
    BATCH,
    (after, size) => listIdsAfter(sql, after, size),
    (id) => id,
  );
}

/** Sizes of the index. Sysadmins only. @throws CatalogError NOT_AUTHORIZED */
export async function searchStatus(call: Call): Promise<IndexStatus> {
  if (!call.actor.sysadmin) throw notAuthorized('only system administrators may read the state of the search index');
  return readStatus(call.sql);
}

/** Indexes all datasets when some are missing: after an upgrade from a version without the index. */
export async function indexWhatIsMissing(call: Call): Promise<number> {
  let written = 0;
  if (await isAnyMissing(call.sql)) for await (const count of searchRebuild(call)) written += count;
  return written;
}
