/** Copies the files that rows name at the point in time. In SQL because Prisma has no DECLARE CURSOR, which outlives the snapshot. */
import { Readable } from 'node:stream';
import type { Blobs } from '../infra/files/blobs.ts';
import type { Client } from '../infra/postgres/client.ts';
import type { ArchiveWriter } from './archive.ts';
import type { FileHead, Footer } from './format.ts';

/** Of the catalog's snapshot, but readable after its end: long copies of files do not hold the snapshot. */
const DECLARE = `DECLARE backup_files CURSOR WITH HOLD FOR SELECT key, size::float8 FROM (
  SELECT key, size FROM resource_file UNION ALL SELECT key, size FROM image_file
  UNION ALL SELECT key, size FROM upload_ticket WHERE key IS NOT NULL) f`;
const FETCH = 'FETCH 1000 FROM backup_files';

export interface FileTotals {
  files: number;
  bytes: number;
}

/** Lists the files at the point. Call it in the point's transaction. */
export const declareFiles = (catalog: Client) => catalog.query(DECLARE);

/** At the point. */
export async function totalsOf(catalog: Client): Promise<FileTotals> {
  const { rows } = await catalog.query<FileTotals>(
    `SELECT count(*)::float8 AS files, coalesce(sum(size), 0)::float8 AS bytes FROM (
      SELECT size FROM resource_file UNION ALL SELECT size FROM image_file UNION ALL SELECT size FROM upload_ticket WHERE key IS NOT NULL) f`,
  );
  return rows[0]!;
}

/** Members of all files. The store may have lost some. */
export async function* filesOut(
  catalog: Client,
  blobs: Blobs,
  archive: ArchiveWriter,
  on: { file(number: number): void; missing(key: string): void },
): AsyncGenerator<Buffer> {
  let number = 0;
  for (;;) {
    const { rows } = await catalog.query<{ key: string }>(FETCH);
    if (rows.length === 0) return;
    for (const { key } of rows) {
      on.file((number += 1));
      const folder = `files/${key}`;
      const file = await blobs.open(key);
      if (!file) on.missing(key);
      yield* archive.json(folder, 0, { isMissing: file === null } satisfies FileHead);
      const parts = file ? yield* archive.parts(folder, file as AsyncIterable<Buffer>, 'bin') : 0;
      yield* archive.json(folder, parts + 1, { rows: null } satisfies Footer);
    }
  }
}

/** Stores the files of a backup in an empty store. */
export interface FilesRestore {
  file(key: string, content: AsyncIterable<Buffer>): Promise<void>;
  undo(): Promise<void>;
}

export function openFilesRestore(blobs: Blobs): FilesRestore {
  const stored: string[] = [];
  return {
    async file(key, content) {
      stored.push(key);
      await blobs.put(key, Readable.from(content, { objectMode: false }));
    },
    async undo() {
      for (const key of stored) await blobs.remove(key).catch(() => {}); // the store may be the reason
    },
  };
}

/** Whether the store has any file. */
export async function hasFiles(blobs: Blobs): Promise<boolean> {
  for await (const _file of blobs.list()) return true;
  return false;
}
