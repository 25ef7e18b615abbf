/** The list of all charts, in the order of their pages. A chart is added here, and nowhere else. */
import { CATALOG } from './catalog.ts';
import type { At, Chart, DashboardId } from './chart.ts';
import type { FilterName } from './filters.ts';
import { OPERATIONS } from './operations.ts';
import type { Interval } from './periods.ts';
import { QUALITY } from './quality.ts';
import { USAGE } from './usage.ts';

export const CHARTS: readonly Chart[] = [...CATALOG, ...QUALITY, ...USAGE, ...OPERATIONS];

interface Dashboard {
  /** Filters of its form. */
  readonly filters: readonly FilterName[];
  /** Whether its operations take the id of an organization, instead of its name. */
  readonly takesIds?: boolean;
  /** Whether only system administrators see it. */
  readonly isPrivate?: boolean;
  /** Interval without one in the address. Default: MONTH. */
  readonly interval?: Interval;
  /** Seconds between two refreshes of what the change feed does not tell. */
  readonly every?: number;
}

/** The dashboards, in the order of their tabs. */
export const DASHBOARDS: Partial<Readonly<Record<DashboardId, Dashboard>>> = {
  catalog: { filters: ['organization', 'from', 'to', 'interval'] },
  quality: { filters: ['organization', 'from', 'to', 'interval', 'check', 'rating'], takesIds: true },
  usage: { filters: ['organization', 'from', 'to', 'interval'], interval: 'DAY', takesIds: true, every: 60 },
  operations: { filters: [], isPrivate: true, every: 15 },
};

/** Charts of a dashboard that a reader may see. */
export const chartsOf = (dashboard: string, { isSysadmin }: Pick<At, 'isSysadmin'>): Chart[] =>
  CHARTS.filter((it) => it.dashboard === dashboard && (isSysadmin || !it.isPrivate));
