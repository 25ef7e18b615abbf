/** What reading one file may come to. Refusals name the setting. Pure. */
import { CatalogError } from '../../kernel/errors.ts';

/** Limits of one file, as the settings have them. */
export interface Limits {
  /** Bytes of the file in an archive, unpacked. */
  readonly fileBytes: number;
  /** Bytes of the table. */
  readonly tableBytes: number;
  /** Bytes of the table for each byte of the file. */
  readonly expansion: number;
}

/** Bytes that a row takes in a table besides its values. */
export const ROW_BYTES = 40;
/** Bytes of a table that a file may become whatever its size. */
export const ALWAYS_ALLOWED_BYTES = 64 * 2 ** 20;

/** Counts what a file becomes. @throws CatalogError LIMIT */
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
