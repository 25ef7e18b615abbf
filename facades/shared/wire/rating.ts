/** Converts ratings. By the contract, errors name no field, and only the first one is reported. */
import { invalid } from '../../../src/kernel/errors.ts';
import { asText } from '../../../src/records/form/readers.ts';

const refusal = (message: string): Error => invalid([{ path: [], message }]);
const absent = (raw: unknown): boolean => raw === undefined || raw === null || raw === '';

/** Dataset and rating. By the contract, a rating as text of digits is out of range. @throws CatalogError VALIDATION */
export function ratingOf(given: unknown, raw: unknown): { dataset: string; rating: number } {
  if (absent(given)) throw refusal('You must supply a package id or name (parameter "package").');
  const dataset = asText(given);
  if (absent(raw)) throw refusal('You must supply a rating (parameter "rating").');
  if (typeof raw === 'string' && /^\s*[+-]?\d+\s*$/.test(raw)) return { dataset, rating: 0 };
  if (!Number.isInteger(raw)) throw refusal('Rating must be an integer value.');
  return { dataset, rating: Math.max(0, Math.min(raw as number, 6)) }; // any invalid rating that GraphQL's Int can represent
}

/** Average and number of a dataset's ratings. */
export const ratingDict = ({ ratingAverage, ratingCount }: { ratingAverage?: number | null; ratingCount: number }) => ({
  'rating average': ratingAverage,
  'rating count': ratingCount,
});
