/** Why a file is no table that can be loaded: said to those who may load it. */
import { CatalogError } from '../../kernel/errors.ts';

/** @throws nothing: makes the refusal */
export const badFile = (message: string): CatalogError => new CatalogError('VALIDATION', message);
