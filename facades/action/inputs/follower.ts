/** Readers of the follower actions' own wire forms. */
import { asText, type Param } from '../params.ts';

/**
 * Must be there, but whether it is comes second: the permission is answered first, as recorded. Left out is an empty
 * text, which the catalog refuses as missing.
 */
export const asked = (about: string): Param<string> => ({
  type: 'string',
  required: true,
  about,
  read: (raw) => (raw === undefined || raw === null ? '' : asText(raw)),
});
