/** Files of resources, and keys of discarded files and images. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';

const FILE = {
  resourceId: true,
  key: true,
  name: true,
  size: true,
  createdAt: true,
} satisfies Prisma.ResourceFileSelect;

/** A stored file; another file has another key. */
export type FileRecord = Omit<Prisma.ResourceFileGetPayload<{ select: typeof FILE }>, 'size'> & { size: number };

/** Assigns a file to a resource; discards the previous one. */
export const putFile = async (db: Db, { resourceId, ...file }: FileRecord): Promise<void> =>
  void (await db.resourceFile.upsert({
    select: { key: true },
    where: { resourceId },
    create: { resourceId, ...file },
    update: file,
  }));

/** Discards the files of these resources. */
export const deleteFiles = async (db: Db, resourceIds: readonly string[]): Promise<void> =>
  void (await db.resourceFile.deleteMany({ where: { resourceId: { in: [...resourceIds] } } }));

const readFiles = readerBy<Omit<FileRecord, 'size'> & { size: string }>({
  table: 'resource_file',
  fields: FILE,
  by: ['resourceId'],
  isShort: true,
});

/** Files of these resources, unordered; resources without one are omitted. */
export async function listFiles(sql: Sql, resourceIds: readonly string[]): Promise<FileRecord[]> {
  const files = await readFiles(sql, resourceIds);
  return files.map((file) => ({ ...file, size: Number(file.size) }));
}

/** Keys of discarded files, up to `limit`. */
export const listDiscarded = async (db: Db, limit: number): Promise<string[]> =>
  (await db.discardedFile.findMany({ orderBy: { key: 'asc' }, take: limit })).map(({ key }) => key);

/** Removes discarded files from the list. */
export const forgetDiscarded = async (db: Db, keys: readonly string[]): Promise<void> =>
  void (await db.discardedFile.deleteMany({ where: { key: { in: [...keys] } } }));

/**
 * True if an upload, a resource or an image has the file. Files move from uploads to the others, so this order also
 * finds a file that moves during the check.
 */
export async function isStored(db: Db, key: string): Promise<boolean> {
  const query = { where: { key }, select: { key: true } };
  const found =
    (await db.uploadTicket.findUnique(query)) ??
    (await db.resourceFile.findUnique(query)) ??
    (await db.imageFile.findUnique(query));
  return found !== null;
}
