/** Validation of ratings. Pure; uses the texts that Action API clients know. */
import type { Problem } from '../../kernel/errors.ts';

const RATING = { min: 1, max: 5 } as const;

export const checkRating = (rating: number): Problem[] =>
  rating >= RATING.min && rating <= RATING.max
    ? []
    : [{ path: [], message: `Rating must be between ${RATING.min} and ${RATING.max}.` }];

export const checkRated = (dataset: string, found: boolean): Problem[] =>
  found ? [] : [{ path: [], message: `Not found: '${dataset}'` }];
