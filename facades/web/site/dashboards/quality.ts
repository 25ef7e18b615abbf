/** Charts of the dashboard Quality. Lists have the worst first, each with a link to the page where it is mended. */
import {
  ChartBrokenLinksDocument,
  ChartQualityChecksDocument,
  ChartQualityDimensionsDocument,
  ChartQualityDocument,
  ChartQualityRatingsDocument,
  ChartQualityTimelineDocument,
  type ChartWorstDatasetFragment,
  ChartWorstDatasetsDocument,
  type ChartWorstDatasetsQuery,
  ChartWorstOrganizationsDocument,
  type QualityCheckName,
  type QualityRating,
} from '../../../../src/generated/operations.ts';
import { resourcePath } from '../resource-calls.ts';
import type { Texts } from '../texts.ts';
import { facet } from './catalog.ts';
import { type At, type Chart, type Column, chart, type Kind } from './chart.ts';
import { type Filters, filtersHref } from './filters.ts';
import { iso } from './periods.ts';

const MAX_ROWS = 10;
/** Rows of a list to work through. */
const MAX_LISTED = 100;
const dashboard = 'quality' as const;

const column = (key: string, label: string, kind: Kind = 'number'): Column => ({ key, label, kind });
const ofOrganization = ({ organization }: At) => ({ organization });
const rounded = (value: number): number => Math.round(value * 10) / 10;

const totals = chart({
  ...{ id: 'score', dashboard, title: 'charts.score' as const, text: 'charts.scoreText' as const, isWide: true },
  ...{ shape: 'tiles' as const, follows: ['organization' as const] },
  document: ChartQualityDocument,
  variables: ofOrganization,
  read: ({ statistics: { quality } }, { texts: { t } }) => ({
    columns: [
      column('datasets', t('charts.scored')),
      column('mean_points', t('charts.meanPoints')),
      column('maximum', t('charts.maximum')),
      column('rating', t('charts.rating'), 'text'),
    ],
    rows: [
      {
        cells: [
          quality.datasets,
          quality.meanPoints == null ? null : rounded(quality.meanPoints),
          quality.maximum,
          quality.rating ? t('charts.ratingOf', { rating: quality.rating }) : null,
        ],
      },
    ],
  }),
});

const overTime = chart({
  ...{ id: 'points', dashboard, title: 'charts.points' as const, shape: 'lines' as const, isWide: true },
  draws: ['mean_points'],
  follows: ['organization', 'from', 'to', 'interval'],
  document: ChartQualityTimelineDocument,
  variables: ({ organization, filters: { shown, interval } }) => ({
    organization,
    interval,
    from: iso(shown.from),
    to: iso(shown.to),
  }),
  read: ({ statistics }, { texts: { t }, filters: { interval } }) => {
    const { starts, meanPoints, datasets } = statistics.quality.timeline;
    return {
      columns: [
        column('period', t(`charts.${interval}`), 'period'),
        column('mean_points', t('charts.meanPoints')),
        column('datasets', t('charts.scored')),
      ],
      // Without datasets there is no mean, so the line begins with the first one.
      rows: starts.map((start, at) => ({
        cells: [start, datasets[at] === 0 ? null : rounded(meanPoints[at]!), datasets[at]!],
      })),
    };
  },
});

const ratings = chart({
  ...{
    id: 'ratings',
    dashboard,
    title: 'charts.ratings' as const,
    shape: 'bars' as const,
    follows: ['organization' as const],
  },
  document: ChartQualityRatingsDocument,
  variables: ofOrganization,
  read: ({ statistics }, { filters, texts: { t } }) => ({
    columns: [
      column('rating', '', 'code'),
      column('label', t('charts.rating'), 'text'),
      column('datasets', t('common.datasets')),
    ],
    rows: statistics.quality.ratings.map(({ rating, datasets }) => ({
      cells: [rating, t('charts.ratingOf', { rating }), datasets],
      href: listHref(filters, { rating }),
    })),
  }),
});

const dimensions = chart({
  ...{ id: 'dimensions', dashboard, title: 'charts.dimensions' as const, text: 'charts.dimensionsText' as const },
  ...{ shape: 'bars' as const, follows: ['organization' as const] },
  document: ChartQualityDimensionsDocument,
  variables: ofOrganization,
  read: ({ statistics }, { texts: { t } }) => ({
    columns: [
      column('dimension', '', 'code'),
      column('label', t('charts.dimension'), 'text'),
      column('percent', t('charts.reached'), 'percent'),
    ],
    rows: statistics.quality.dimensions.map(({ name, meanPoints, maximum }) => ({
      cells: [name, t('charts.dimensionOf', { name }), rounded((100 * (meanPoints ?? 0)) / maximum)],
    })),
    full: 100,
  }),
});

const missing = chart({
  ...{ id: 'missing', dashboard, title: 'charts.missing' as const, text: 'charts.missingText' as const },
  ...{ shape: 'bars' as const, follows: ['organization' as const] },
  document: ChartQualityChecksDocument,
  variables: ofOrganization,
  read: ({ statistics }, { filters, texts: { t } }) => ({
    columns: [
      column('check', '', 'code'),
      column('label', t('charts.check'), 'text'),
      column('datasets', t('common.datasets')),
    ],
    rows: statistics.quality.checks
      .filter(({ unmet }) => unmet > 0)
      .sort((a, b) => b.unmet - a.unmet)
      .map(({ name, unmet }) => ({
        cells: [name, t('charts.checkOf', { name }), unmet],
        href: listHref(filters, { check: name }),
      })),
  }),
});

/** The page that lists the datasets of a figure, the worst first. */
const listHref = (
  { texts }: Filters,
  { check, rating }: { check?: QualityCheckName; rating?: QualityRating },
): string =>
  filtersHref(`/dashboards/${dashboard}`, {
    organization: texts.organization,
    check: check?.toLowerCase() ?? '',
    rating: rating?.toLowerCase() ?? '',
  });

const pointsOf = ({ quality }: ChartWorstDatasetFragment): number => quality?.points ?? 0;

/** Maximum number of rows. */
const lengthOf = ({ rows, filters }: { rows: number; filters: Pick<Filters, 'check' | 'rating'> }): number =>
  Math.min(filters.check || filters.rating ? MAX_LISTED : MAX_ROWS, rows);

/** Datasets with the fewest points: all, or those that a figure of the other charts counts. */
const worst = chart({
  ...{ id: 'worst', dashboard, title: 'charts.worst' as const, text: 'charts.worstText' as const },
  ...{ shape: 'bars' as const, follows: ['organization' as const, 'check' as const, 'rating' as const] },
  document: ChartWorstDatasetsDocument,
  variables: ({ organization, rows, isSignedIn, filters: { check, rating } }) => ({
    organization,
    withPrivate: isSignedIn,
    quality: check || rating ? { ...(check && { unmet: check }), ...(rating && { rating }) } : null,
    first: lengthOf({ rows, filters: { check, rating } }),
  }),
  read(data, at) {
    const { t } = at.texts;
    const all = data.statistics.quality;
    const listed = [...data.datasets.nodes, ...(data.privateDatasets?.nodes ?? [])]
      .sort((a, b) => pointsOf(a) - pointsOf(b))
      .slice(0, lengthOf(at));
    return {
      columns: [
        column('name', '', 'code'),
        column('title', t('charts.dataset'), 'text'),
        column('points', t('charts.pointsOf')),
      ],
      rows: listed.map((dataset) => ({
        cells: [dataset.name, dataset.title || dataset.name, pointsOf(dataset)],
        href: `/dataset/${at.isSignedIn ? 'edit/' : ''}${encodeURIComponent(dataset.name)}`,
      })),
      more: Math.max(0, countOf(all, at.filters) - listed.length), // counting the list would read all of its rows
      full: all.maximum,
    };
  },
});

/** The number of datasets with these filters. With both of them the sums do not say it: the list has no further rows then. */
function countOf(
  { datasets, ratings, checks }: ChartWorstDatasetsQuery['statistics']['quality'],
  filters: Filters,
): number {
  const { check, rating } = filters;
  if (check && rating) return 0;
  if (check) return checks.find(({ name }) => name === check)?.unmet ?? 0;
  return rating ? (ratings.find((it) => it.rating === rating)?.datasets ?? 0) : datasets;
}

const organizations = chart({
  ...{ id: 'organizations', dashboard, title: 'charts.organizations' as const, text: 'charts.worstFirst' as const },
  ...{ shape: 'bars' as const, draws: ['mean_points'], follows: [] },
  document: ChartWorstOrganizationsDocument,
  variables: ({ rows }) => ({ first: Math.min(MAX_ROWS, rows) }),
  read: ({ statistics: { quality, qualityOrganizations: found } }, { texts: { t } }) => ({
    columns: [
      column('name', '', 'code'),
      column('title', t('charts.organization'), 'text'),
      column('mean_points', t('charts.meanPoints')),
    ],
    rows: found.items.map(({ organization, meanPoints }) => ({
      cells: [organization?.name ?? null, organization?.title || organization?.name || null, rounded(meanPoints)],
      ...(organization && { href: `/organization/${encodeURIComponent(organization.name)}` }),
    })),
    more: found.totalCount - found.items.length,
    full: quality.maximum,
  }),
});

const reasonOf = (link: { reason?: string | null } | null | undefined, t: Texts['t']): string | null =>
  link?.reason ? t('link.reason', { reason: link.reason.toLowerCase() }) : null;

const broken = chart({
  ...{ id: 'broken-links', dashboard, title: 'charts.broken' as const, text: 'charts.brokenText' as const },
  ...{ shape: 'table' as const, isWide: true, follows: ['organization' as const] },
  document: ChartBrokenLinksDocument,
  variables: (at) => ({ ...ofOrganization(at), first: Math.min(2 * MAX_ROWS, at.rows) }),
  read: (
    {
      statistics: {
        resourcesByLink: { nodes, totalCount },
      },
    },
    { texts: { t }, isSignedIn },
  ) => ({
    columns: [
      column('resource', '', 'code'),
      column('name', t('charts.resource'), 'text'),
      column('dataset', t('charts.dataset'), 'text'),
      column('status', t('charts.status'), 'text'),
      column('reason', t('charts.reason'), 'text'),
      column('since', t('charts.since'), 'moment'),
    ],
    rows: nodes.map(({ databaseId, name, dataset, link }) => ({
      cells: [
        ...[databaseId, name || link?.url || databaseId, dataset?.title || dataset?.name || null],
        ...[link?.status == null ? null : String(link.status), reasonOf(link, t), link?.since ?? null],
      ],
      ...(dataset && { href: `${resourcePath(dataset.name, databaseId)}${isSignedIn ? '/edit' : ''}` }),
    })),
    more: totalCount - nodes.length,
  }),
});

export const QUALITY: readonly Chart[] = [
  totals,
  overTime,
  worst,
  missing,
  organizations,
  dimensions,
  ratings,
  facet({ id: 'links', dashboard, field: 'link_status', title: 'charts.links', kind: 'charts.verdict' }),
  broken,
];
