/** Values of facets as connections. All facets of one operation are counted together. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { invalidField } from '../../kernel/errors.ts';
import type { FacetPage, FacetWish, Search } from '../engine.ts';
import { checkFacets } from '../query/budget.ts';
import type { ExactField } from '../query/fields.ts';
import { countedFields, type FacetItem, namedValues } from './facets.service.ts';
import { findHits } from './found.service.ts';

export interface FacetValueArgs extends PageArgs {
  readonly contains?: string | null;
  readonly orderBy?: 'COUNT' | 'VALUE' | null;
  readonly minCount?: number | null;
}

export type FacetValuePage = Connection<FacetItem>;

export interface FacetValues {
  readonly field: string;
  readonly values: (args: FacetValueArgs) => Promise<FacetValuePage>;
}

type Counter = DataLoader<FacetWish, FacetPage>;

const MAX_TEXT_LENGTH = 200;

/** Facets of a search. @throws CatalogError VALIDATION, SEARCH */
export function searchFacets(call: Call, search: Search, fields: readonly string[]): FacetValues[] {
  const counter: Counter = new DataLoader(
    async (facets) => {
      checkFacets(facets.map(({ field }) => field));
      return (await findHits(call, search, { page: null, count: false, facets })).facets;
    },
    { cache: false },
  );
  return countedFields(fields).map(({ name, field }) => ({
    field: name,
    values: (args) => valuesOf(call, counter, name, field, args),
  }));
}

/** A page of values. @throws CatalogError VALIDATION, LIMIT, SEARCH */
async function valuesOf(
  call: Call,
  counter: Counter,
  name: string,
  field: ExactField,
  { contains, orderBy, minCount, ...args }: FacetValueArgs,
): Promise<FacetValuePage> {
  const order = orderBy === 'VALUE' ? 'value' : 'count';
  const page = keyset(args, ['number', 'string'], call.settings['catalog.limits.rows'], order);
  if (contains && contains.length > MAX_TEXT_LENGTH)
    throw invalidField('contains', `At most ${MAX_TEXT_LENGTH} characters (got ${contains.length})`);
  if (minCount != null && minCount < 0) throw invalidField('minCount', `Must be 0 or more (got ${minCount})`);
  const [count, value] = page.from ?? [];
  const { values, total } = await counter.load({
    field,
    limit: page.limit + 1,
    least: minCount ?? 1,
    order,
    isReversed: page.backward,
    ...(contains && { contains }),
    ...(page.from && { after: { count: Number(count), value: String(value) } }),
  });
  return connection(
    await namedValues(call, name, values),
    page,
    (item) => [item.count, item.name],
    async () => total,
  );
}
