/** ZIP archives of one file stand for that file. */
import { CatalogError } from '../../kernel/errors.ts';
import { type Format, formatOfName, type TableFormat } from './formats.ts';
import { badFile } from './problem.ts';
import { readerOf, taken } from './temporary.ts';
import type { Source } from './text-file.ts';
import { type ZipEntry, zipEntries } from './zip.ts';

/** What a file is read from; `close` lets go of it. */
export interface Unpacked {
  readonly source: Source;
  readonly format: TableFormat;
  close(): Promise<void>;
}

/** How archives begin; the second is one without files. */
const MARKS = ['PK\x03\x04', 'PK\x05\x06'];
/** What systems put beside files of their own accord. */
const ASIDE = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

/**
 * The file itself, or the one in it: whatever the format says, a file that begins as an archive is one. It is unpacked into a file that is
 * gone when this process is, for most formats are read more than once. `formats` are those that are loaded; `max` is in bytes.
 * @throws CatalogError VALIDATION, LIMIT
 */
export async function unpacked(
  source: Source,
  format: Format,
  formats: readonly string[],
  max: number,
): Promise<Unpacked> {
  if (format === 'xlsx' || (format !== 'zip' && !(await beginsAsArchive(source))))
    return { source, format, close: async () => {} };
  const entry = await onlyFile(source);
  const inside = formatOfName(entry.name) ?? (format === 'zip' ? null : format);
  if (inside === null || !formats.includes(inside))
    throw badFile(
      `The format of the file in the archive, "${entry.name}", is not loaded (catalog.loading.formats: ${formats.join(' ')})`,
    );
  const tooLarge = () =>
    new CatalogError('LIMIT', `"${entry.name}" is larger than ${max} bytes when unpacked (catalog.loading.max_size)`);
  if (entry.size > max) throw tooLarge();
  const { handle, size } = await taken(entry.open(), max, tooLarge, () => {});
  return { source: { size, open: readerOf(handle) }, format: inside, close: () => handle.close() };
}

async function beginsAsArchive(source: Source): Promise<boolean> {
  if (source.size < 4) return false;
  const start: Buffer[] = [];
  for await (const chunk of await source.open({ start: 0, end: 3 })) start.push(chunk);
  return MARKS.includes(Buffer.concat(start).toString('latin1'));
}

/** @throws CatalogError VALIDATION where there are several, or none */
async function onlyFile(source: Source): Promise<ZipEntry> {
  const entries = (await zipEntries(source, 'ZIP archive')).filter(({ name }) => !ASIDE.test(name));
  const [entry] = entries;
  if (!entry) throw badFile('The archive is empty');
  if (entries.length === 1) return entry;
  const names = entries.slice(0, 3).map(({ name }) => `"${name}"`);
  throw badFile(
    `The archive contains ${entries.length} files (${names.join(', ')}${entries.length > 3 ? ', …' : ''}); it must contain exactly one`,
  );
}
