/** Limits for reading one file. Error messages name the setting. Pure. */
import { CatalogError } from '../../kernel/errors.ts';

/** Limits of one file, from the settings. */
export interface Limits {
  /** Maximum unpacked bytes of the file in an archive. */
  readonly fileBytes: number;
  /** Maximum bytes of the table. */
  readonly tableBytes: number;
  /** Maximum bytes of the table per byte of the file. */
  readonly expansion: number;
}

/** Overhead of a table row in bytes. */
export const ROW_BYTES = 40;
/** Table size in bytes that is allowed for any file. */
export const ALWAYS_ALLOWED_BYTES = 64 * 2 ** 20;

/** Counts the bytes of the table a file becomes. @throws CatalogError LIMIT */
export function tableLimit(
  { tableBytes, expansion }: Limits,
  fileBytes: number,
): (bytes: number, rows: number) => void {
  const expanded = Math.max(ALWAYS_ALLOWED_BYTES, expansion * fileBytes);
  return (bytes, rows) => {
    const size = bytes + rows * ROW_BYTES;
    if (size > tableBytes)
      throw new CatalogError(
        'LIMIT',
        `The table is larger than ${tableBytes} bytes at row ${rows} (catalog.loading.max_table_size)`,
      );
    if (size > expanded)
      throw new CatalogError(
        'LIMIT',
        `The table is larger than ${expanded} bytes at row ${rows}: at most ${expansion} times the file's ${fileBytes} bytes, or ${ALWAYS_ALLOWED_BYTES} (catalog.loading.max_expansion)`,
      );
  };
}
