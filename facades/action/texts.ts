/** Descriptions shared by many dictionaries. */
import { about } from './schema.ts';

export const ID = about('Id, for ever the same.');
export const NAME = about('Name, as in addresses.');
export const STATE = about('`active`, `draft` or `deleted`.');
export const REVISION = about('Id of the revision that changed it last.');
export const TIME = about('UTC, such as `2026-11-21T10:00:00.123000`.');
export const URL = about('Address, or an empty text.');
