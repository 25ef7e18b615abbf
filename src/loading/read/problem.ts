/** Why a file is no table that can be loaded: said to those who may load it. */
import { CatalogError } from '../../kernel/errors.ts';

/** Of a file that is UTF-8 but for some bytes: read as anything else, all of its other characters would be wrong. */
export const notUtf8 = (): CatalogError =>
  badFile('Some bytes are no UTF-8, as the rest of the file is: it was damaged, cut, or put together of several');

/** @throws nothing: makes the refusal */
export const badFile = (message: string): CatalogError => new CatalogError('VALIDATION', message);

/** `number` is that of the row, from 1. */
export const rowTooLong = (number: number, bytes: number): CatalogError =>
  badFile(`Row ${number} is longer than ${bytes} bytes`);
