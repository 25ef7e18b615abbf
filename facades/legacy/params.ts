/** Readers of the Util interface's query parameters. */
import { invalid } from '../../src/kernel/errors.ts';
import { UnreadableBody } from '../shared/bodies.ts';
import { asText, type Raw } from '../shared/wire/readers.ts';

/** A parameter as text; empty when left out, the first of several. */
export function one(query: Raw, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return value == null ? '' : asText(Array.isArray(value) ? value[0] : value);
}

/** The first of these parameters that was given. @throws CatalogError VALIDATION when none was */
export function oneOf(query: Raw, names: readonly string[]): string {
  const name = names.find((name) => Object.hasOwn(query, name));
  if (name === undefined) throw invalid([{ path: [names[0]!], message: 'Missing value' }]);
  return one(query, name);
}

/** `limit`, and what is taken when it was left out; by the forgiving also when it is no number. @throws CatalogError VALIDATION */
export function limitOf(query: Raw, otherwise: number, manner: 'strict' | 'forgiving' = 'strict'): number {
  const text = one(query, 'limit');
  if (text === '') return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  if (manner === 'forgiving') return otherwise;
  throw invalid([{ path: ['limit'], message: 'Invalid integer' }]);
}

/** Whose name it would be. @throws UnreadableBody in the words clients know */
export function slugOwner(type: string): 'DATASET' | 'GROUP' {
  if (type === 'package') return 'DATASET';
  if (type === 'group') return 'GROUP';
  throw new UnreadableBody(`Bad slug type: ${type}`);
}

/** Formats that programs read, by the icon that older sites show for them. */
const DATA = /csv|json|xml|rdf|sql|api|tsv|sparql/i;

export const iconOf = (format: string): string => `/images/icons/page_white${DATA.test(format) ? '_gear' : ''}.png`;
