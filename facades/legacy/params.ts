/** Readers of the Util interface's query parameters. */
import { invalidField } from '../../src/kernel/errors.ts';
import { asText, type Raw } from '../../src/records/form/readers.ts';
import { UnreadableBody } from '../shared/bodies.ts';

/** First value of a parameter; empty when omitted. */
export function one(query: Raw, name: string): string {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return value == null ? '' : asText(Array.isArray(value) ? value[0] : value);
}

/** First of these parameters that was sent. @throws CatalogError VALIDATION when none was sent */
export function oneOf(query: Raw, names: readonly string[]): string {
  const name = names.find((name) => Object.hasOwn(query, name));
  if (name === undefined) throw invalidField(names[0]!, 'Missing value');
  return one(query, name);
}

/** `limit`, or the default when omitted. `forgiving` also uses the default for invalid numbers. @throws CatalogError VALIDATION */
export function limitOf(query: Raw, otherwise: number, manner: 'strict' | 'forgiving' = 'strict'): number {
  const text = one(query, 'limit');
  if (text === '') return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  if (manner === 'forgiving') return otherwise;
  throw invalidField('limit', 'Invalid integer');
}

/** Kind of object that needs the name. @throws UnreadableBody with the contract's text */
export function slugOwner(type: string): 'DATASET' | 'GROUP' {
  if (type === 'package') return 'DATASET';
  if (type === 'group') return 'GROUP';
  throw new UnreadableBody(`Bad slug type: ${type}`);
}

/** Machine-readable formats, by their icon in older sites. */
const DATA = /csv|json|xml|rdf|sql|api|tsv|sparql/i;

export const iconOf = (format: string): string => `/images/icons/page_white${DATA.test(format) ? '_gear' : ''}.png`;
