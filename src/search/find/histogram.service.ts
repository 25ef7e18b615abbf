/** Numbers of a search's datasets per period, as a connection. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import type { Search } from '../engine.ts';
import { nextPeriod, type Period } from '../query/dates.ts';
import { exactFieldOf } from '../query/fields.ts';
import { findHits } from './found.service.ts';

const FIELDS = { CREATED: 'metadata_created', MODIFIED: 'metadata_modified' } as const;

export interface HistogramArgs extends PageArgs {
  readonly of: keyof typeof FIELDS;
  readonly interval: Period;
  readonly direction?: 'ASC' | 'DESC' | null;
}

export interface BucketRecord {
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
}

export type HistogramPage = Connection<BucketRecord>;

/** A page of periods. @throws CatalogError VALIDATION, LIMIT */
export async function dateHistogram(
  call: Call,
  search: Search,
  { of, interval, direction, ...args }: HistogramArgs,
): Promise<HistogramPage> {
  const order = `${of} ${interval} ${direction ?? 'DESC'}`;
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows'], order);
  const wish = {
    field: exactFieldOf(FIELDS[of])!,
    period: interval,
    limit: page.limit + 1,
    least: 1,
    order: 'value',
    isReversed: (direction === 'ASC') === page.backward,
    ...(page.from && { after: { value: String(page.from[0]), count: 0 } }),
  } as const;
  const { facets } = await findHits(call, search, { page: null, count: false, facets: [wish] });
  const { values, total } = facets[0]!;
  const buckets = values.map(({ value, count }) => ({
    from: new Date(`${value}T00:00:00Z`),
    to: new Date(nextPeriod(value, interval).getTime() - 1),
    count,
  }));
  return connection(
    buckets,
    page,
    ({ from }) => [from.toISOString().slice(0, 10)],
    async () => total,
  );
}
