/** Compares rows with the file store: rows whose file is missing, and orphaned files, which a crash or a reset leaves. */
import type { StoredFile } from '../../infra/files/blobs.ts';
import { walk } from '../../kernel/all-pages.ts';
import type { Call } from '../../kernel/call.ts';
import { notAuthorized } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { isStored } from './file.store.ts';
import { type KeyRecord, listKeys } from './key.sql.ts';
import { sweepFiles } from './ticket.service.ts';

export interface FilesReport {
  /** Number of files that rows refer to. */
  readonly named: number;
  /** Number of files in the store. */
  readonly stored: number;
  /** Rows whose file is missing. */
  readonly missing: readonly KeyRecord[];
  /** Files older than a day without a row. A younger file may belong to a running request. */
  readonly orphans: readonly StoredFile[];
}

const BATCH = 1_000;

/** Compares rows and files. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, UNAVAILABLE */
export async function filesCheck(call: Call): Promise<FilesReport> {
  authorize(call);
  const {
    stores: { blobs },
  } = call;
  const named = await namedFiles(call); // before listing the files: a file uploaded in between is too young to be an orphan
  const unseen = new Map(named);
  const orphans: StoredFile[] = [];
  let stored = 0;
  for await (const file of blobs.list()) {
    stored += 1;
    if (named.has(file.name)) unseen.delete(file.name);
    // Every request is shorter than a day.
    else if (file.modified.getTime() < call.request.now.getTime() - DAY) orphans.push(file);
  }
  const missing: KeyRecord[] = [];
  for (const row of unseen.values()) if (row.owner !== 'discarded' && (await isLost(call, row))) missing.push(row);
  return { named: named.size, stored, missing, orphans };
}

/** Deletes orphans and discarded files; returns the report. @throws as filesCheck */
export async function filesSweep(call: Call): Promise<FilesReport> {
  authorize(call);
  await sweepFiles(call);
  const report = await filesCheck(call);
  for (const { name } of report.orphans) await call.stores.blobs.removeListed(name);
  return report;
}

/** Files that rows refer to, by their key in the store. */
async function namedFiles({ sql, stores: { blobs } }: Call): Promise<Map<string, KeyRecord>> {
  const named = new Map<string, KeyRecord>();
  const keys = walk(
    BATCH,
    (after, size) => listKeys(sql, after, size),
    ({ key }) => key,
  );
  for await (const rows of keys) for (const row of rows) named.set(blobs.nameOf(row.key), row);
  return named;
}

/** Checked again: the file may have been replaced or deleted during the listing. */
const isLost = async ({ db, stores: { blobs } }: Call, { key }: KeyRecord): Promise<boolean> =>
  (await isStored(db, key)) && !(await blobs.has(key));

function authorize({ actor }: Call): void {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may check the files');
}
