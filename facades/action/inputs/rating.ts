/** What rating_create takes, as it came; what is wrong with it is said by `ratingOf`. */
import type { Param } from '../params.ts';

/** Id or name. */
export const rated = (about: string): Param<unknown> => ({
  type: 'string',
  required: true,
  about,
  read: (raw) => raw,
});

/** The rating. */
export const ratingValue = (about: string): Param<unknown> => ({
  type: 'int',
  required: true,
  about,
  read: (raw) => raw,
});
