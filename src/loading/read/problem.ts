/** Why a file is no table that can be loaded: said to those who may load it. */
import { CatalogError } from '../../kernel/errors.ts';

/** Of a file that is UTF-8 but for some bytes: read as anything else, all of its other characters would be wrong. */
export const notUtf8 = (): CatalogError =>
  badFile('The file is UTF-8 except for some bytes. It may be damaged, truncated, or merged from several files');

/** @throws nothing: makes the refusal */
export const badFile = (message: string): CatalogError => new CatalogError('VALIDATION', message);

/** `number` is that of the row, from 1. */
export const rowTooLong = (number: number, bytes: number): CatalogError =>
  badFile(`Row ${number} is longer than ${bytes} bytes`);
