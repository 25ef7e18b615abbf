/** Typed conditions and sort orders of the graph, as query text of the search. Pure. */

import { invalidField, refuse } from '../../kernel/errors.ts';
import { quoted } from '../../kernel/text.ts';

export interface SearchOrder {
  readonly field: keyof typeof ORDERS;
  readonly direction?: 'ASC' | 'DESC' | null;
}

const ORDERS = {
  RELEVANCE: { field: 'score', direction: 'DESC' },
  MODIFIED: { field: 'metadata_modified', direction: 'DESC' },
  CREATED: { field: 'metadata_created', direction: 'DESC' },
  NAME: { field: 'name', direction: 'ASC' },
  TITLE: { field: 'title_string', direction: 'ASC' },
  VIEWS_RECENT: { field: 'views_recent', direction: 'DESC' },
  VIEWS_TOTAL: { field: 'views_total', direction: 'DESC' },
} as const;

const MAX_ORDERS = 5;

/** Fields with directions, as the search reads them. @throws CatalogError VALIDATION */
export function sortText(orderBy: readonly SearchOrder[]): string {
  if (orderBy.length > MAX_ORDERS) throw invalidField('orderBy', `At most ${MAX_ORDERS} fields`);
  const orders: readonly SearchOrder[] = orderBy.length > 0 ? orderBy : [{ field: 'RELEVANCE' }];
  const parts = orders.map(({ field, direction }) => {
    const known = ORDERS[field];
    return `${known.field} ${(direction ?? known.direction).toLowerCase()}`;
  });
  const isUnique = orders.some(({ field }) => field === 'NAME' || field === 'MODIFIED');
  return [...parts, ...(isUnique ? [] : ['metadata_modified desc'])].join(', ');
}

export interface DatasetConditions {
  readonly organizations?: readonly string[] | null;
  readonly groups?: readonly string[] | null;
  readonly tags?: readonly string[] | null;
  readonly formats?: readonly string[] | null;
  readonly licenses?: readonly string[] | null;
  readonly types?: readonly string[] | null;
  /** Verdicts, as the graph names them. */
  readonly linkVerdicts?: readonly string[] | null;
  readonly isOpen?: boolean | null;
  readonly createdFrom?: Date | null;
  readonly createdTo?: Date | null;
  readonly modifiedFrom?: Date | null;
  readonly modifiedTo?: Date | null;
}

const LISTS = {
  organizations: 'organization',
  groups: 'groups',
  tags: 'tags',
  formats: 'res_format',
  licenses: 'license_id',
  types: 'dataset_type',
  linkVerdicts: 'link_status',
} as const;

/** One filter per condition. @throws CatalogError VALIDATION for an empty list */
export function filtersOf(where: DatasetConditions): string[] {
  const lists = Object.entries(LISTS).flatMap(([name, field]) => {
    const values = where[name as keyof typeof LISTS];
    if (!values) return [];
    if (values.length === 0) refuse([{ path: ['where', name], message: 'An empty list matches nothing. Omit it' }]);
    const named = name === 'linkVerdicts' ? values.map((verdict) => verdict.toLowerCase()) : values;
    return [`${field}:(${named.map(quoted).join(' OR ')})`];
  });
  const { isOpen, createdFrom, createdTo, modifiedFrom, modifiedTo } = where;
  return [
    ...lists,
    ...(typeof isOpen === 'boolean' ? [`isopen:${isOpen}`] : []),
    ...between('metadata_created', createdFrom, createdTo),
    ...between('metadata_modified', modifiedFrom, modifiedTo),
  ];
}

/** The last instant that a query can name, in ms. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Stored times have microseconds, and times of the graph have milliseconds: the last one is included as a whole. */
function between(field: string, from: Date | null | undefined, to: Date | null | undefined): string[] {
  if (!from && !to) return [];
  const end = to && to.getTime() < LATEST ? `${new Date(to.getTime() + 1).toISOString()}}` : '*]';
  return [`${field}:[${from?.toISOString() ?? '*'} TO ${end}`];
}
