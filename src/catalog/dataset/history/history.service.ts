/** Past states of datasets. To see a copy, the caller must be allowed to read the dataset both now and in that state. */
import type { Call } from '../../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../../kernel/connection.ts';
import { allow, invalidField, notFound } from '../../../kernel/errors.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { mayReadDataset } from '../dataset.policy.ts';
import { datasetShow } from '../dataset.service.ts';
import { compareCopies, type FieldChange } from './history.rules.ts';
import type { CopyKey, CopyRecord } from './history.sql.ts';
import { findCopy } from './history.store.ts';

export type { CopyRecord } from './history.sql.ts';
/** A page of a dataset's history. */
export type HistoryPage = Connection<CopyRecord>;

type Maybe<T> = T | null | undefined;
/** A dataset and a point in its history; without one, the present. */
interface Requested {
  readonly idOrName: string;
  /** Whether to read only by name. */
  readonly isName: boolean;
  readonly asOf?: Maybe<Date>;
  readonly revision?: Maybe<string>;
}

/** A dataset in its present state, at a moment, or after a revision. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION */
export async function datasetAt(call: Call, { idOrName, isName, asOf, revision }: Requested): Promise<DatasetRecord> {
  if (asOf != null && revision != null) throw invalidField('asOf', 'Give either a revision or a time, not both');
  const now = await datasetShow(call, idOrName, idOrName, isName);
  if (asOf == null && revision == null) return now;
  const copy = await findCopy(call.db, now.id, revision != null ? { revisionId: revision } : { time: asOf! });
  if (!copy)
    throw notFound(
      revision != null ? 'The revision did not change this dataset.' : 'The dataset did not exist at that time.',
    );
  allow(mayReadDataset(call.actor, copy, call.settings), idOrName);
  return copy;
}

/** The request's loaders: histories of many datasets cost one statement. */
interface Loaders {
  historyPages: { load(key: { id: string; page: Keyset }): Promise<CopyRecord[]> };
  historyCounts: { load(id: string): Promise<number> };
  historyCopies: { load(key: CopyKey): Promise<DatasetRecord | null> };
}

/** A page of a loaded dataset's copies, latest first. @throws CatalogError VALIDATION, LIMIT */
export async function historyConnection(
  call: Call,
  loaders: Loaders,
  { id }: DatasetRecord,
  args: PageArgs,
): Promise<HistoryPage> {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  return connection(
    await loaders.historyPages.load({ id, page }),
    page,
    (copy) => [copy.version],
    () => loaders.historyCounts.load(id),
  );
}

/** The changes of a revision; null for the first copy, and when the previous one is hidden from the caller. */
export async function copyChanges(
  loaders: Loaders,
  { datasetId, revisionId, before }: CopyRecord,
): Promise<FieldChange[] | null> {
  if (before === null) return null;
  const [was, is] = await Promise.all([
    loaders.historyCopies.load({ datasetId, revisionId: before }),
    loaders.historyCopies.load({ datasetId, revisionId }),
  ]);
  return was && is ? compareCopies(was.body, is.body) : null;
}
