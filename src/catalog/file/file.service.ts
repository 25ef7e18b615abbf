/**
 * Files of resources, and what they have in common with images. Bytes and rows cannot be written at once, so: bytes first,
 * under a new key, then the row in the transaction, then, after the commit, the bytes of the file before. A crash in between
 * leaves bytes that nobody has, never a row without bytes.
 */

import { plainFileName } from '../../infra/files/names.ts';
import { afterCommit, type Call } from '../../kernel/call.ts';
import { CatalogError, invalidField } from '../../kernel/errors.ts';
import { deleteFiles, forgetDiscarded, isKept, listDiscarded, putFile } from './file.store.ts';
import { withLanded } from './landing.service.ts';
import { USED, whyNotUsable } from './ticket.rules.ts';
import { findTicket, takeFile } from './ticket.store.ts';

/** A file that came in, as mutations name it. */
export interface UploadInput {
  /** Under which it came in. */
  readonly token: string;
  /** As the client had it. */
  readonly name: string;
  /** False where the resource keeps its `size` and `mimetype`. */
  readonly fillsFields?: boolean | null;
}

/** A file that came in and shall be kept. */
export interface NewFile {
  /** The token under which it came in. */
  readonly key: string;
  /** As the client had it, without folders. */
  readonly name: string;
  readonly size: number;
  /** Its first bytes. */
  readonly start: Buffer;
  /** Whether `size` and `mimetype` of the resource are taken from it. */
  readonly fillsFields: boolean;
  /** Hash of the token of the ticket by which it came in; left out for one that came in with the request. */
  readonly ticket?: string;
}

/**
 * Does `work`, which may keep the file (keepFile, settleImage); nothing stays when `work` fails of a file that came in with the
 * request. One that came in before, by a ticket, waits to be asked for again. `field` is where the mutation's input names the file.
 * @throws CatalogError VALIDATION when no such file came in, and whatever `work` throws
 */
export async function withUpload<T>(
  call: Call,
  upload: UploadInput | null | undefined,
  work: (file: NewFile | null) => Promise<T>,
  field = 'upload',
): Promise<T> {
  if (!upload) return work(null);
  const name = plainFileName(upload.name);
  const size = call.blobs.sizeOf(upload.token);
  const fillsFields = upload.fillsFields ?? true;
  if (size === null) return work({ ...(await fileOfTicket(call, upload.token, field)), name, fillsFields });
  const file: NewFile = { key: upload.token, name, size, start: call.blobs.startOf(upload.token), fillsFields };
  try {
    return await work(file);
  } catch (thrown) {
    await letGo(call, file.key, thrown).catch((failure: unknown) =>
      call.log.error({ err: failure }, 'deleting a refused file failed'),
    );
    throw thrown;
  }
}

/** The file that came in by a ticket of the caller's. @throws CatalogError VALIDATION, which tells others nothing */
async function fileOfTicket(call: Call, token: string, field: string): Promise<Omit<NewFile, 'name' | 'fillsFields'>> {
  const ticket = await withLanded(call, await findTicket(call.db, call.secretBox.hash(token)));
  const why = whyNotUsable(ticket, call.actor.userId, call.now);
  if (why !== null) throw invalidField(field, why);
  const { key, size, start, tokenHash } = ticket!;
  return { key: key!, size, start: start!, ticket: tokenHash };
}

/** The same for several files, in the order given. @throws CatalogError VALIDATION, and whatever `work` throws */
export const withUploads = <T>(
  call: Call,
  uploads: readonly UploadInput[],
  work: (files: NewFile[]) => Promise<T>,
  files: NewFile[] = [],
): Promise<T> =>
  uploads.length === files.length
    ? work(files)
    : withUpload(call, uploads[files.length], (file) => withUploads(call, uploads, work, [...files, file as NewFile]));

/** A transaction whose end was not heard of may have been committed: then the file stays. */
async function letGo(call: Call, key: string, thrown: unknown): Promise<void> {
  if (thrown instanceof CatalogError || !(await isKept(call.db, key))) await call.blobs.remove(key);
}

/**
 * Makes the file that came in one of the kept. Call it inside the transaction that gives it to somebody.
 * @throws CatalogError VALIDATION when something else has taken it meanwhile
 */
export async function settleFile(call: Call, file: NewFile, field = 'upload'): Promise<void> {
  if (file.ticket === undefined) await call.blobs.keep(file.key);
  else if (!(await takeFile(call.db, file.ticket, file.key))) throw invalidField(field, USED);
}

/** Gives a resource the file that came in. Call it inside the transaction, when nothing can be refused any more. */
export async function keepFile(call: Call, resourceId: string, file: NewFile): Promise<void> {
  await settleFile(call, file);
  await putFile(call.db, { resourceId, key: file.key, name: file.name, size: file.size, createdAt: call.now });
  afterCommit(call, removeDiscarded);
}

/** Takes the files of resources away that are gone or have become links. Call it inside the transaction. */
export async function releaseFiles(call: Call, resourceIds: readonly string[]): Promise<void> {
  if (resourceIds.length === 0) return;
  await deleteFiles(call.db, resourceIds);
  afterCommit(call, removeDiscarded);
}

const BATCH = 500;

/** Deletes the bytes of files that nobody has any more, those that a crash has left over too. */
export async function removeDiscarded(call: Call): Promise<void> {
  for (;;) {
    const keys = await listDiscarded(call.db, BATCH);
    for (const key of keys) await call.blobs.remove(key);
    if (keys.length > 0) await forgetDiscarded(call.db, keys);
    if (keys.length < BATCH) return;
  }
}
