/**
 * Files of resources, and functions that images share. Bytes and rows cannot be written atomically. Therefore the bytes
 * are written first, under a new key, then the row in the transaction, then, after the commit, the old bytes are
 * deleted. A crash in between leaves unused bytes, never a row without bytes.
 */

import { plainFileName } from '../../infra/files/names.ts';
import { UnknownOutcome } from '../../infra/postgres/db.ts';
import { afterCommit, type Call, logOf } from '../../kernel/call.ts';
import { CatalogError, invalidField } from '../../kernel/errors.ts';
import { deleteFiles, forgetDiscarded, isStored, listDiscarded, putFile } from './file.store.ts';
import { mayRemoveFiles } from './key.sql.ts';
import { withLanded } from './landing.service.ts';
import { USED, whyNotUsable } from './ticket.rules.ts';
import { findTicket, takeFile } from './ticket.store.ts';

/** An uploaded file as mutations name it. */
export interface UploadInput {
  /** The token of the upload. */
  readonly token: string;
  /** The client's name of the file. */
  readonly name: string;
  /** False to keep the resource's `size` and `mimetype`. */
  readonly fillsFields?: boolean | null;
}

/** An uploaded file to store. */
export interface NewFile {
  /** The token of the upload. */
  readonly key: string;
  /** The client's name of the file, without folders. */
  readonly name: string;
  readonly size: number;
  /** The first bytes of the file. */
  readonly start: Buffer;
  /** Whether `size` and `mimetype` of the resource come from the file. */
  readonly fillsFields: boolean;
  /** Hash of the ticket's token; undefined for a file uploaded with the request. */
  readonly ticket?: string;
}

/**
 * Runs `work`, which may store the file (keepFile, settleImage). If `work` fails, a file uploaded with the request is
 * deleted; a file uploaded earlier by a ticket stays available. `field` is the path of the file in the mutation's
 * input. @throws CatalogError VALIDATION for an unknown file, and every error of `work`
 */
export async function withUpload<T>(
  call: Call,
  upload: UploadInput | null | undefined,
  work: (file: NewFile | null) => Promise<T>,
  field = 'upload',
): Promise<T> {
  if (!upload) return work(null);
  const name = plainFileName(upload.name);
  const size = call.stores.blobs.sizeOf(upload.token);
  const fillsFields = upload.fillsFields ?? true;
  if (size === null) return work({ ...(await fileOfTicket(call, upload.token, field)), name, fillsFields });
  const file: NewFile = { key: upload.token, name, size, start: call.stores.blobs.startOf(upload.token), fillsFields };
  try {
    return await work(file);
  } catch (thrown) {
    await letGo(call, file.key, thrown).catch((failure: unknown) =>
      logOf(call).error({ err: failure }, 'deleting a refused file failed'),
    );
    throw thrown;
  }
}

/** The file of one of the caller's tickets. @throws CatalogError VALIDATION; the error reveals nothing about other users' tickets */
async function fileOfTicket(call: Call, token: string, field: string): Promise<Omit<NewFile, 'name' | 'fillsFields'>> {
  const ticket = await withLanded(call, await findTicket(call.db, call.secrets.secretBox.hash(token)));
  const why = whyNotUsable(ticket, call.actor.userId, call.request.now);
  if (why !== null) throw invalidField(field, why);
  const { key, size, start, tokenHash } = ticket!;
  return { key: key!, size, start: start!, ticket: tokenHash };
}

/** The same for several files, in their order. @throws CatalogError VALIDATION, and every error of `work` */
export const withUploads = <T>(
  call: Call,
  uploads: readonly UploadInput[],
  work: (files: NewFile[]) => Promise<T>,
  files: NewFile[] = [],
): Promise<T> =>
  uploads.length === files.length
    ? work(files)
    : withUpload(call, uploads[files.length], (file) => withUploads(call, uploads, work, [...files, file as NewFile]));

/** Deletes the file of a failed request. If the outcome of its transaction is unknown, a row may refer to the file, which stays. */
async function letGo(call: Call, key: string, thrown: unknown): Promise<void> {
  if (thrown instanceof UnknownOutcome) return;
  if (thrown instanceof CatalogError || !(await isStored(call.db, key))) await call.stores.blobs.remove(key);
}

/**
 * Makes the uploaded file permanent. Call it inside the transaction that assigns the file. @throws CatalogError
 * VALIDATION when another request has used it in the meantime
 */
export async function settleFile(call: Call, file: NewFile, field = 'upload'): Promise<void> {
  if (file.ticket === undefined) await call.stores.blobs.keep(file.key);
  else if (!(await takeFile(call.db, file.ticket, file.key))) throw invalidField(field, USED);
}

/** Assigns the uploaded file to a resource. Call it inside the transaction, after every check. */
export async function keepFile(call: Call, resourceId: string, file: NewFile): Promise<void> {
  await settleFile(call, file);
  await putFile(call.db, { resourceId, key: file.key, name: file.name, size: file.size, createdAt: call.request.now });
  afterCommit(call, removeDiscarded);
}

/** Discards the files of removed resources and of those that became links. Call it inside the transaction. */
export async function releaseFiles(call: Call, resourceIds: readonly string[]): Promise<void> {
  if (resourceIds.length === 0) return;
  await deleteFiles(call.db, resourceIds);
  afterCommit(call, removeDiscarded);
}

const BATCH = 500;

/**
 * Deletes the bytes of discarded files, including those of crashed requests. During a backup they stay, because it copies the files of an
 * earlier point: a file listed here before the backup began was discarded before that point. A later call deletes them.
 */
export async function removeDiscarded(call: Call): Promise<void> {
  for (;;) {
    const keys = await listDiscarded(call.db, BATCH);
    if (keys.length > 0 && !(await mayRemoveFiles(call.sql))) return;
    for (const key of keys) await call.stores.blobs.remove(key);
    if (keys.length > 0) await forgetDiscarded(call.db, keys);
    if (keys.length < BATCH) return;
  }
}
