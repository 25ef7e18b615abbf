/** Charts of the dashboard Catalog. */
import {
  ChartChangesDocument,
  ChartFacetDocument,
  ChartFreshnessDocument,
  ChartGrowthDocument,
  ChartTotalsDocument,
} from '../../../../src/generated/operations.ts';
import type { PlainKey } from '../texts.ts';
import { type At, type Chart, chart, type DashboardId, type Numbers } from './chart.ts';
import { conditionsOf, MAX_PERIODS, type Span } from './filters.ts';
import { daysBefore, iso, startOf } from './periods.ts';

/** Values of a facet that are shown. */
const MAX_VALUES = 10;
const dashboard = 'catalog' as const;

/** Private datasets count for those who may read them. Visitors must not ask for them. */
const readable = ({ isSignedIn }: At) => ({ includePrivate: isSignedIn ? true : null });

const totals = chart({
  id: 'totals',
  dashboard,
  title: 'charts.totals',
  shape: 'tiles',
  isWide: true,
  follows: [],
  document: ChartTotalsDocument,
  variables: () => ({}),
  read({ statistics }, { texts: { t } }) {
    const column = (key: keyof typeof statistics, label: string, kind: 'number' | 'bytes' = 'number') => ({
      ...{ key, label, kind },
      value: statistics[key] as number,
    });
    const columns = [
      column('datasets', t('common.datasets')),
      column('privateDatasets', t('charts.private')),
      column('resources', t('stats.resources')),
      column('bytes', t('stats.bytes'), 'bytes'),
      column('tables', t('stats.tables')),
      column('users', t('common.users')),
      column('edits', t('stats.edits')),
    ];
    return { columns, rows: [{ cells: columns.map(({ value }) => value) }] };
  },
});

const growth = chart({
  id: 'growth',
  dashboard,
  title: 'charts.growth',
  text: 'charts.growthText',
  shape: 'lines',
  draws: ['total'],
  isWide: true,
  follows: ['organization', 'from', 'to', 'interval'],
  document: ChartGrowthDocument,
  variables: (at) => ({
    all: conditionsOf(at.filters, { created: { from: null, to: at.filters.span.to } }),
    shown: conditionsOf(at.filters, { created: { from: at.filters.shown.from, to: at.filters.span.to } }),
    interval: at.filters.interval,
    first: MAX_PERIODS,
    ...readable(at),
  }),
  read({ all, shown }, at) {
    const { t } = at.texts;
    const { starts, interval, shown: span } = at.filters;
    const counts = new Map(shown.dateHistogram.nodes.map(({ from, count }) => [Date.parse(from), count]));
    const sum = [...counts.values()].reduce((total, count) => total + count, 0);
    let total = all.totalCount - sum;
    const rows = starts.map((start) => {
      const count = counts.get(start) ?? 0;
      total += count;
      const end = startOf(interval, start, 1) - 1;
      const created: Span = { from: Math.max(start, span.from), to: Math.min(end, at.filters.span.to ?? end) };
      return { cells: [iso(start), count, total], href: at.search({ created }) };
    });
    const columns = [
      { key: 'period', label: t(`charts.${interval}`), kind: 'period' as const },
      { key: 'created', label: t('charts.created'), kind: 'number' as const },
      { key: 'total', label: t('charts.allDatasets'), kind: 'number' as const },
    ];
    return { columns, rows };
  },
});

const changes = chart({
  id: 'changes',
  dashboard,
  title: 'charts.changes',
  text: 'charts.changesText',
  shape: 'lines',

  follows: ['from', 'to', 'interval'],
  document: ChartChangesDocument,
  variables: ({ filters: { shown, interval } }) => ({ interval, from: iso(shown.from), to: iso(shown.to) }),
  read({ created, updated, deleted }, { texts: { t }, filters: { interval } }) {
    const series = { created, updated, deleted };
    const columns = [
      { key: 'period', label: t(`charts.${interval}`), kind: 'period' as const },
      { key: 'created', label: t('charts.created'), kind: 'number' as const },
      { key: 'updated', label: t('charts.updated'), kind: 'number' as const },
      { key: 'deleted', label: t('charts.deleted'), kind: 'number' as const },
    ];
    const rows = created.starts.map((start, at) => ({
      cells: [start, ...Object.values(series).map(({ counts }) => counts[at]!)],
    }));
    return { columns, rows };
  },
});

interface Facet {
  readonly id: string;
  readonly dashboard: DashboardId;
  /** Field of the search. */
  readonly field: string;
  readonly title: PlainKey;
  /** Heading of the values. */
  readonly kind: PlainKey;
}

/** Datasets by the values of a field, the most frequent first. */
export const facet = ({ id, dashboard, field, title, kind }: Facet): Chart =>
  chart({
    ...{ id, title, dashboard, shape: 'bars' as const },
    follows: ['organization', 'from', 'to'],
    document: ChartFacetDocument,
    variables: (at) => ({
      field,
      where: conditionsOf(at.filters),
      first: Math.min(MAX_VALUES, at.rows),
      ...readable(at),
    }),
    read({ search }, { search: addressOf, texts: { t } }): Numbers {
      const { nodes, totalCount } = search.facets[0]!.values;
      return {
        columns: [
          { key: 'name', label: '', kind: 'code' },
          { key: 'title', label: t(kind), kind: 'text' },
          { key: 'datasets', label: t('common.datasets'), kind: 'number' },
        ],
        // Datasets with an empty value have no search page of their own.
        rows: nodes.map(({ name, displayName, count }) => ({
          cells: [name, displayName || t('stats.none'), count],
          ...(name && { href: addressOf({ values: [[field, name]] }) }),
        })),
        more: totalCount - nodes.length,
      };
    },
  });

/** Days since the last change, up to which a dataset is in the part. */
const AGES = { week: 7, month: 30, quarter: 90, year: 365, years: 730, older: null } as const;
type Age = keyof typeof AGES;

/** Times of the last change, by their age: without gaps, and each instant once. */
function spansOf(now: Date): readonly (readonly [age: Age, span: Span])[] {
  let to: number | null = null;
  return (Object.keys(AGES) as Age[]).map((age) => {
    const days = AGES[age];
    const from = days === null ? null : daysBefore(now.getTime(), days);
    const span = { from, to };
    to = from === null ? null : from - 1;
    return [age, span] as const;
  });
}

const freshness = chart({
  id: 'freshness',
  dashboard,
  title: 'charts.freshness',
  text: 'charts.freshnessText',
  shape: 'bars',
  follows: ['organization', 'from', 'to'],
  document: ChartFreshnessDocument,
  variables: (at) => ({
    ...Object.fromEntries(spansOf(at.now).map(([age, modified]) => [age, conditionsOf(at.filters, { modified })])),
    ...readable(at),
  }),
  read: (data, { now, search, texts: { t } }) => ({
    columns: [
      { key: 'age', label: '', kind: 'code' },
      { key: 'title', label: t('charts.age'), kind: 'text' },
      { key: 'datasets', label: t('common.datasets'), kind: 'number' },
    ],
    rows: spansOf(now).map(([age, modified]) => ({
      cells: [age, t('charts.ageOf', { age }), data[age].totalCount],
      href: search({ modified }),
    })),
  }),
});

export const CATALOG: readonly Chart[] = [
  totals,
  growth,
  facet({
    id: 'organizations',
    dashboard,
    field: 'organization',
    title: 'charts.organizations',
    kind: 'charts.organization',
  }),
  facet({ id: 'themes', dashboard, field: 'groups', title: 'charts.themes', kind: 'charts.theme' }),
  facet({ id: 'formats', dashboard, field: 'res_format', title: 'charts.formats', kind: 'charts.format' }),
  facet({ id: 'licenses', dashboard, field: 'license_id', title: 'charts.licenses', kind: 'charts.license' }),
  freshness,
  changes,
];
