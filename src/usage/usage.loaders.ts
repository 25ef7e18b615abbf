/** Loads uses of many objects in one statement. */
import DataLoader from 'dataloader';
import type { Call } from '../kernel/call.ts';
import { grouped } from '../kernel/pages.ts';
import { scopesOf } from '../statistics/scopes.policy.ts';
import type { RequestedDays } from './usage.service.ts';
import { type DaysRow, daysOf, type Figures, type FoundTotals, totalsOf } from './usage.sql.ts';

const listOf = ({ of, from, to }: RequestedDays) => `${of} ${from} ${to}`;

type Totals = ReadonlyMap<number, Figures>;

export function usageLoaders(call: Call) {
  let caughtUp: Promise<void> | undefined;
  const current = () => (caughtUp ??= call.process.sumUses(call));
  /** Sums with all counts. Mostly they have them, so they are read first. */
  async function totalsNow(of: 'datasets' | 'resources', ids: readonly string[]): Promise<FoundTotals['rows']> {
    const { rows, isLate } = await totalsOf(call.sql, of, ids);
    if (!isLate) return rows;
    await current();
    return (await totalsOf(call.sql, of, ids)).rows;
  }
  return {
    /** Uses per day, one row for each kind of use. The caller may read the object. */
    usageDays: new DataLoader<RequestedDays, readonly DaysRow[], string>(
      async (requested) => {
        await current();
        const { base, hidden } = scopesOf(call.actor);
        return grouped(requested, listOf, async ({ of, from, to }, ids) => {
          const rows = await daysOf(call.sql, of, ids, { from, to, scopes: [base, ...hidden] });
          return new Map(ids.map((id) => [id, rows.filter((row) => row.id === id)]));
        });
      },
      { cacheKeyFn: (requested) => JSON.stringify(requested) },
    ),
    /** Sums of uses by kind. The caller may read the object. */
    usageTotals: new DataLoader<{ of: 'datasets' | 'resources'; id: string }, Totals, string>(
      async (requested) => {
        const totals = new Map<string, Map<number, Figures>>();
        await Promise.all(
          (['datasets', 'resources'] as const).map(async (of) => {
            const ids = requested.filter((it) => it.of === of).map(({ id }) => id);
            for (const { id, kind, total, recent, before } of ids.length > 0 ? await totalsNow(of, ids) : []) {
              const own = totals.get(`${of} ${id}`) ?? new Map<number, Figures>();
              totals.set(`${of} ${id}`, own.set(kind, { total, recent, before }));
            }
          }),
        );
        return requested.map(({ of, id }) => totals.get(`${of} ${id}`) ?? new Map());
      },
      { cacheKeyFn: ({ of, id }) => `${of} ${id}` },
    ),
  };
}
