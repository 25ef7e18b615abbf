/** Validates the parameters of a search, except its query. */
import type { Problem } from '../../kernel/errors.ts';
import type { ExactField } from '../query/fields.ts';
import { exactFieldOf } from '../query/fields.ts';

const MAX_FACETS = 50;

/** Facet fields, without duplicates, in the requested order. Fields that cannot be counted become problems. */
export function facetFieldsOf(names: readonly string[], problems: Problem[]): { name: string; field: ExactField }[] {
  const unique = [...new Set(names)].filter((name) => name !== '');
  if (unique.length > MAX_FACETS) {
    problems.push({ path: ['facetFields'], message: `At most ${MAX_FACETS} fields` });
    return [];
  }
  return unique.flatMap((name) => {
    const field = exactFieldOf(name);
    if (field) return [{ name, field }];
    problems.push({ path: ['facetFields'], message: `The field ${name.slice(0, 60)} does not support facets` });
    return [];
  });
}
