/** Parses `sort` (fields with directions) into keys. */
import { textsSearchedBy } from '../../kernel/dataset-fields.ts';
import { type ExactField, exactFieldOf } from './fields.ts';
import { searchFault } from './syntax.ts';

export interface SortKey {
  /** score: the best match first. */
  readonly by: 'score' | ExactField;
  readonly descending: boolean;
}

/** Sort order reported when none was requested. */
const USUAL_SORT = 'score desc, metadata_modified desc';
const MAX_KEYS = 10;
/** Multi-valued fields, which have no defined order. */
const MANY = new Set(['value', 'vocabulary', 'resource']);
/** Fields of those kinds with a single value. */
const ONE = new Set<string>(['organization', ...textsSearchedBy('value'), 'isopen', 'dataset_type']);

/** The keys, and the order as text for the response. @throws CatalogError SEARCH */
export function sortOf(given: string | null | undefined): { keys: SortKey[]; text: string } {
  const requested = given?.trim() || 'rank';
  const text = requested === 'rank' ? USUAL_SORT : requested;
  const parts = text.split(',');
  if (parts.length > MAX_KEYS) throw searchFault('sort', `more than ${MAX_KEYS} fields`);
  return { keys: parts.map((part) => keyOf(part)), text };
}

function keyOf(part: string): SortKey {
  const [, name, direction] = /^\s*(\S+)\s+(asc|desc)\s*$/i.exec(part) ?? [];
  if (name === undefined)
    throw searchFault('sort', `"${part.trim().slice(0, 60)}" is not a field followed by asc or desc`);
  const descending = direction!.toLowerCase() === 'desc';
  // The contract's default, `relevance asc`, means best first.
  if (name === 'relevance') return { by: 'score', descending: true };
  if (name === 'score') return { by: 'score', descending };
  const field = exactFieldOf(name);
  if (!field || (MANY.has(field.kind) && !(field.kind === 'value' && ONE.has(field.of))))
    throw searchFault('sort', `datasets cannot be sorted by ${name.slice(0, 60)}`);
  return { by: field, descending };
}
