/** Parameters of rating_create, unchecked; `ratingOf` reports problems. */
import type { Param } from '../params.ts';

/** The rating. */
export const ratingValue = (about: string): Param<unknown> => ({
  type: 'int',
  required: true,
  about,
  read: (raw) => raw,
});
