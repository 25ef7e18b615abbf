/** Parses the terms and the order of resource_search: `field:text`. Pure. */
import { invalidField } from '../../kernel/errors.ts';
import type { Order, Term } from './resource.sql.ts';

/** Fields to search and sort by → columns. */
const COLUMNS: Readonly<Record<string, string>> = {
  url: 'url',
  format: 'format',
  description: 'description',
  hash: 'hash',
  name: 'name',
  id: 'id',
  mimetype: 'mimetype',
  mimetype_inner: 'mimetype_inner',
  resource_type: 'resource_type',
  url_type: 'url_type',
  size: 'size',
  created: 'created',
  last_modified: 'last_modified',
  position: 'position',
};
const SEARCHED = [
  'url',
  'format',
  'description',
  'hash',
  'name',
  'mimetype',
  'mimetype_inner',
  'resource_type',
  'url_type',
];

/** Parsed terms. The hash is compared by prefix, other fields by substring. @throws CatalogError VALIDATION */
export function parseTerms(terms: readonly string[], extraFields: readonly string[]): Term[] {
  return terms.map((term) => {
    const colon = term.indexOf(':');
    if (colon < 0) throw invalidField('terms', 'Must be <field>:<value> pair(s)');
    const field = term.slice(0, colon).trim();
    const text = term.slice(colon + 1);
    if (SEARCHED.includes(field)) return { column: COLUMNS[field]!, extra: null, text, prefix: field === 'hash' };
    if (extraFields.includes(field)) return { column: null, extra: field, text, prefix: false };
    throw invalidField('terms', `Field "${field}" not recognised in resource_search.`);
  });
}

/** The sort order: a field, descending with the suffix `desc`; null when none is requested. @throws CatalogError VALIDATION */
export function orderOf(text: string | null | undefined): Order {
  if (!text) return null;
  const [, field = text, direction] = /^(\S+)(?:\s+(asc|desc))?$/i.exec(text.trim()) ?? [];
  const column = Object.hasOwn(COLUMNS, field) ? COLUMNS[field] : undefined;
  if (!column) throw invalidField('orderBy', `Field "${field}" not recognised in resource_search.`);
  return { column, descending: direction?.toLowerCase() === 'desc' };
}
