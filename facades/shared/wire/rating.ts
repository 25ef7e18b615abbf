/** Ratings on the wire: refusals name no field, and the first one is told, as recorded. */
import { invalid } from '../../../src/kernel/errors.ts';
import { asText } from './readers.ts';

const refusal = (message: string): Error => invalid([{ path: [], message }]);
const absent = (raw: unknown): boolean => raw === undefined || raw === null || raw === '';

/**
 * Dataset and rating. A rating that is a text of digits is no number: out of range, as recorded.
 * @throws CatalogError VALIDATION
 */
export function ratingOf(given: unknown, raw: unknown): { dataset: string; rating: number } {
  if (absent(given)) throw refusal('You must supply a package id or name (parameter "package").');
  const dataset = asText(given);
  if (absent(raw)) throw refusal('You must supply a rating (parameter "rating").');
  if (typeof raw === 'string' && /^\s*[+-]?\d+\s*$/.test(raw)) return { dataset, rating: 0 };
  if (!Number.isInteger(raw)) throw refusal('Rating must be an integer value.');
  return { dataset, rating: Math.max(0, Math.min(raw as number, 6)) }; // whatever fits no rating fits the graph's Int
}

/** What clients are told of a dataset's ratings. */
export const ratingDict = ({ ratingAverage, ratingCount }: { ratingAverage?: number | null; ratingCount: number }) => ({
  'rating average': ratingAverage,
  'rating count': ratingCount,
});
