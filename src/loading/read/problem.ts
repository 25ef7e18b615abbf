/** Errors for files that cannot be loaded as a table, shown to users who may load them. */
import { CatalogError } from '../../kernel/errors.ts';

/** For a file that is UTF-8 except for some bytes. Any other encoding would garble all other characters. */
export const notUtf8 = (): CatalogError =>
  badFile('The file is UTF-8 except for some bytes. It may be damaged, truncated, or merged from several files');

/** @throws nothing: makes the refusal */
export const badFile = (message: string): CatalogError => new CatalogError('VALIDATION', message);

/** `number` is the row number, from 1. */
export const rowTooLong = (number: number, bytes: number): CatalogError =>
  badFile(`Row ${number} is longer than ${bytes} bytes`);
