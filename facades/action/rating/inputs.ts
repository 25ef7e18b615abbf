/** What rating_create takes, as it came; what is wrong with it is said by `ratingOf`. */
import type { Param } from '../params.ts';

/** The rating. */
export const ratingValue = (about: string): Param<unknown> => ({
  type: 'int',
  required: true,
  about,
  read: (raw) => raw,
});
