/** The read model as a whole: exports it, checks it against the rows and rebuilds it, in batches. */
import { isDeepStrictEqual } from 'node:util';
import { lockRows } from '../../../infra/postgres/row-lock.sql.ts';
import { walk } from '../../../kernel/all-pages.ts';
import { type Call, inTransaction } from '../../../kernel/call.ts';
import { notAuthorized } from '../../../kernel/errors.ts';
import { indexDatasets } from '../../../search/index/index.service.ts';
import { projectDataset } from '../../document/project.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { listIdsAfter, loadParts } from '../dataset.store.ts';
import { listDocumentsAfter, listStored, rewriteDocuments, type StoredDocument } from './documents.sql.ts';
import { listDatasetFacts } from './facts.store.ts';
import { linkedTo, visibleDocument } from './visible.ts';

/** Datasets per batch, which bounds memory. */
const BATCH = 100;

/** A document that differs from its rows. */
export interface DocumentFault {
  readonly id: string;
  readonly name: string;
  /** Top-level keys that differ; `(missing)` without a document, `(columns)` when the columns beside it differ. */
  readonly keys: readonly string[];
}

/**
 * Every active public dataset by id, so that concurrent writes neither hide nor repeat one. `everything` adds private
 * and draft ones. @throws CatalogError NOT_AUTHORIZED for `everything`, except for sysadmins
 */
export async function* eachDataset(call: Call, { everything }: { everything: boolean }): AsyncGenerator<DatasetRecord> {
  if (everything && !call.actor.sysadmin) throw notAuthorized('only system administrators may read all datasets');
  const pages = walk(
    BATCH,
    (after, size) => listDocumentsAfter(call.sql, after, size, everything),
    ({ id }) => id,
  );
  for await (const page of pages) yield* everything ? page : await withoutHiddenLinks(call, page);
}

/** The same without relationships to datasets that are not public, because exports are public. */
async function withoutHiddenLinks(call: Call, page: DatasetRecord[]): Promise<DatasetRecord[]> {
  const ends = page.filter(({ linked }) => linked).flatMap(({ body }) => linkedTo(body));
  const facts = ends.length === 0 ? [] : await listDatasetFacts(call.sql, [...new Set(ends)]);
  const shown = new Set(
    facts.flatMap(({ facts: { id, state, private: hidden } }) => (state === 'active' && !hidden ? [id] : [])),
  );
  const loaders = { mayReadDataset: { load: async (id: string) => shown.has(id) } };
  return Promise.all(
    page.map(async (record) => (record.linked ? record.showing(await visibleDocument(loaders, record)) : record)),
  );
}

/**
 * Compares every document with its rows. Yields the number checked and the faults after each batch. Sysadmins only.
 * @throws CatalogError NOT_AUTHORIZED
 */
export async function* documentsCheck(call: Call): AsyncGenerator<{ checked: number; faults: DocumentFault[] }> {
  for await (const ids of batches(call)) {
    const suspects = (await faultsOf(call, ids)).map(({ id }) => id);
    // Another request may have written between the two reads, so suspects are checked again under a lock.
    yield {
      checked: ids.length,
      faults: suspects.length === 0 ? [] : await locked(call, suspects, (call) => faultsOf(call, suspects)),
    };
  }
}

/**
 * Rewrites every document from its rows and keeps versions. Yields the number written after each batch. Sysadmins only.
 * @throws CatalogError NOT_AUTHORIZED
 */
export async function* documentsRebuild(call: Call): AsyncGenerator<number> {
  for await (const ids of batches(call)) {
    yield await locked(call, ids, async (call) => {
      const texts = await projected(call, ids);
      await rewriteDocuments(call.sql, texts);
      await indexDatasets(call, ids);
      return texts.size;
    });
  }
}

function batches({ actor, db }: Call): AsyncGenerator<string[]> {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may check or rebuild documents');
  return walk(
    BATCH,
    (after, size) => listIdsAfter(db, after, size),
    (id) => id,
  );
}

const locked = <T>(call: Call, ids: readonly string[], work: (call: Call) => Promise<T>): Promise<T> =>
  inTransaction(call, async (call) => {
    await lockRows(call.sql, 'dataset', ids);
    return work(call);
  });

/** Documents projected from rows, by id. */
async function projected({ db, settings }: Call, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await loadParts(db, ids);
  return new Map(
    rows.map((parts) => [parts.dataset.id, JSON.stringify(projectDataset(parts, settings['catalog.site_url']))]),
  );
}

async function faultsOf(call: Call, ids: readonly string[]): Promise<DocumentFault[]> {
  const texts = await projected(call, ids);
  return (await listStored(call.sql, ids)).flatMap((stored) => {
    const text = texts.get(stored.id);
    const keys = text === undefined ? [] : differences(stored, text);
    return keys.length > 0 ? [{ id: stored.id, name: stored.name, keys }] : [];
  });
}

function differences({ document, stale }: StoredDocument, projected: string): string[] {
  if (document === null) return ['(missing)'];
  const is = JSON.parse(document) as Record<string, unknown>;
  const shouldBe = JSON.parse(projected) as Record<string, unknown>;
  const keys = [...new Set([...Object.keys(is), ...Object.keys(shouldBe)])].filter(
    (key) => !isDeepStrictEqual(is[key], shouldBe[key]),
  );
  return stale ? [...keys, '(columns)'] : keys;
}
