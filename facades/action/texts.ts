/** Descriptions shared by many dictionaries. */
import { about } from './schema.ts';

export const ID = about('Permanent id.');
export const NAME = about('Name, as used in URLs.');
export const STATE = about('`active`, `draft` or `deleted`.');
export const REVISION = about('Id of the last revision that changed the object.');
export const TIME = about('UTC, such as `2026-11-21T10:00:00.123000`.');
export const URL = about('URL, or an empty text.');
