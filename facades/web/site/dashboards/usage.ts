/** Charts of the dashboard Usage. */
import {
  ChartEmptySearchesDocument,
  ChartSearchesDocument,
  ChartTopDatasetsDocument,
  ChartUsageDocument,
} from '../../../../src/generated/operations.ts';
import { hrefOf } from '../search-query.ts';
import type { PlainKey } from '../texts.ts';
import { type At, type Chart, type Column, chart, type Kind } from './chart.ts';
import { iso } from './periods.ts';

const MAX_ROWS = 10;
const dashboard = 'usage' as const;

const column = (key: string, label: string, kind: Kind = 'number'): Column => ({ key, label, kind });

const spanOf = ({ filters: { shown } }: At) => ({ from: iso(shown.from), to: iso(shown.to) });

const uses = chart({
  ...{ id: 'uses', dashboard, title: 'charts.uses' as const, text: 'charts.usesText' as const, isWide: true },
  ...{
    shape: 'lines' as const,
    follows: ['organization' as const, 'from' as const, 'to' as const, 'interval' as const],
  },
  document: ChartUsageDocument,
  variables: (at) => ({ organization: at.organization, interval: at.filters.interval, ...spanOf(at) }),
  read: ({ site: { usage } }, { texts: { t }, filters: { interval } }) => ({
    columns: [
      column('period', t(`charts.${interval}`), 'period'),
      column('views', t('charts.views')),
      column('downloads', t('charts.downloads')),
      column('reads', t('charts.reads')),
    ],
    rows: usage.starts.map((start, at) => ({
      cells: [start, usage.views.counts[at]!, usage.downloads.counts[at]!, usage.reads.counts[at]!],
    })),
  }),
});

const searches = chart({
  ...{ id: 'searches', dashboard, title: 'charts.searches' as const, shape: 'lines' as const },
  follows: ['from', 'to', 'interval'],
  document: ChartSearchesDocument,
  variables: (at) => ({ interval: at.filters.interval, ...spanOf(at) }),
  read: ({ site: { usage } }, { texts: { t }, filters: { interval } }) => ({
    columns: [
      column('period', t(`charts.${interval}`), 'period'),
      column('searches', t('charts.searches')),
      column('without_result', t('charts.withoutResult')),
    ],
    rows: usage.starts.map((start, at) => ({
      cells: [start, usage.searches.counts[at]!, usage.emptySearches.counts[at]!],
    })),
  }),
});

/** The datasets with the most uses in the last 14 days, or with the largest growth. */
const top = (id: string, of: 'VIEWS' | 'DOWNLOADS', by: 'RECENT' | 'RISING', title: PlainKey, text: PlainKey): Chart =>
  chart({
    ...{ id, dashboard, title, text, shape: 'bars' as const, follows: ['organization' as const] },
    draws: ['uses'],
    document: ChartTopDatasetsDocument,
    variables: ({ organization, rows }) => ({ organization, of, by, first: Math.min(MAX_ROWS, rows) }),
    read: ({ site: { usageTop } }, { texts: { t } }) => ({
      columns: [
        column('name', '', 'code'),
        column('title', t('charts.dataset'), 'text'),
        column('uses', t(by === 'RISING' ? 'charts.growth' : of === 'VIEWS' ? 'charts.views' : 'charts.downloads')),
      ],
      rows: usageTop.map(({ dataset: { name, title: label }, figures: { recent, before } }) => ({
        cells: [name, label || name, by === 'RISING' ? recent - before : recent],
        href: `/dataset/${encodeURIComponent(name)}`,
      })),
    }),
  });

const withoutResult = chart({
  ...{ id: 'searches-without-result', dashboard, title: 'charts.emptySearches' as const, isPrivate: true },
  ...{ text: 'charts.emptySearchesText' as const, shape: 'bars' as const, follows: ['from' as const, 'to' as const] },
  document: ChartEmptySearchesDocument,
  variables: (at) => ({ first: Math.min(2 * MAX_ROWS, at.rows), ...spanOf(at) }),
  read: ({ site: { emptySearches } }, { texts: { t } }) => ({
    columns: [column('words', t('charts.words'), 'text'), column('searches', t('charts.searches'))],
    rows: emptySearches.map(({ words, count }) => ({
      cells: [words, count],
      href: hrefOf('/dataset', [['q', words]]),
    })),
  }),
});

export const USAGE: readonly Chart[] = [
  uses,
  top('top', 'VIEWS', 'RECENT', 'charts.topViews', 'charts.recentText'),
  top('rising', 'VIEWS', 'RISING', 'charts.rising', 'charts.risingText'),
  top('top-downloads', 'DOWNLOADS', 'RECENT', 'charts.topDownloads', 'charts.recentText'),
  searches,
  withoutResult,
];
