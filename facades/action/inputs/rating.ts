/** Readers of rating_create's own wire forms: refusals name no field, and the first one is told, as recorded. */
import { invalid } from '../../../src/kernel/errors.ts';
import { asText, type Param } from '../params.ts';

const refusal = (message: string): Error => invalid([{ path: [], message }]);
const absent = (raw: unknown): boolean => raw === undefined || raw === null || raw === '';

/** Id or name; whether it is there is said by `rated`. */
export const rated = (about: string): Param<string> => ({
  type: 'string',
  required: true,
  about,
  read: (raw) => (absent(raw) ? '' : asText(raw)),
});

/** The rating as it came; what is wrong with it is said by `ratingOf`. */
export const ratingValue = (about: string): Param<unknown> => ({
  type: 'int',
  required: true,
  about,
  read: (raw) => raw,
});

/**
 * Dataset and rating. A rating that is a text of digits is no number: out of range, as recorded.
 * @throws CatalogError VALIDATION
 */
export function ratingOf(dataset: string, raw: unknown): { dataset: string; rating: number } {
  if (dataset === '') throw refusal('You must supply a package id or name (parameter "package").');
  if (absent(raw)) throw refusal('You must supply a rating (parameter "rating").');
  if (typeof raw === 'string' && /^\s*[+-]?\d+\s*$/.test(raw)) return { dataset, rating: 0 };
  if (!Number.isInteger(raw)) throw refusal('Rating must be an integer value.');
  return { dataset, rating: Math.max(0, Math.min(raw as number, 6)) }; // whatever fits no rating fits the graph's Int
}
