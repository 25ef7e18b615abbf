/** Unpacks a ZIP archive that contains a single file. */
import { CatalogError } from '../../kernel/errors.ts';
import { type Format, formatOfName, type TableFormat } from './formats.ts';
import { badFile } from './problem.ts';
import { readerOf, taken } from './temporary.ts';
import type { Source } from './text-file.ts';
import { type ZipEntry, zipEntries } from './zip.ts';

/** The unpacked source. `close` releases it. */
export interface Unpacked {
  readonly source: Source;
  readonly format: TableFormat;
  close(): Promise<void>;
}

/** Signatures of archives; the second is that of an empty one. */
const MARKS = ['PK\x03\x04', 'PK\x05\x06'];
/** Files that operating systems add automatically. */
const ASIDE = /^__MACOSX\/|(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini)$/i;

/**
 * Returns the file itself, or the one inside an archive. A file that starts like an archive counts as one, regardless of the declared
 * format. The content is unpacked into a temporary file, because most formats are read several times. `formats` are the enabled ones, `max`
 * is in bytes.
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

/** @throws CatalogError VALIDATION when the archive has several files, or none */
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
