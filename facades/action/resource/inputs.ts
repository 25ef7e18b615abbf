import { invalidField } from '../../../src/kernel/errors.ts';
import { jsonOr } from '../../../src/records/form/readers.ts';
import { asList, asText } from '../params.ts';

/** Terms `field:text` from `query` (text or list) and the deprecated `fields` (dictionary). @throws CatalogError VALIDATION */
export function resourceTerms(query: unknown, fields: unknown): string[] {
  if (query !== undefined && query !== null && fields != null)
    throw invalidField('fields', 'Do not specify if using "query" parameter');
  if (query === undefined || query === null) {
    if (fields == null) throw invalidField('query', 'Missing value');
    return fromFields(typeof fields === 'string' ? jsonOr(fields) : fields);
  }
  if (typeof query === 'string' && !query.trim().startsWith('[')) return [query];
  return asList(query);
}

function fromFields(fields: unknown): string[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw invalidField('fields', 'Must be a JSON object of fields and texts, such as {"format": "CSV"}');
  return Object.entries(fields).flatMap(([field, value]) =>
    (Array.isArray(value) ? value : [value]).map((text) => `${field}:${asText(text)}`),
  );
}
