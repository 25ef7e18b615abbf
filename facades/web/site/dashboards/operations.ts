/** Charts of the dashboard Operations, for system administrators. */
import {
  ChartDatastoreDocument,
  ChartFailedLoadsDocument,
  ChartHarvestsDocument,
  ChartJobsDocument,
  ChartLargestTablesDocument,
  ChartProcessesDocument,
  ChartSlowRequestsDocument,
  ChartTrafficDocument,
  ChartWebhooksDocument,
} from '../../../../src/generated/operations.ts';
import { resourcePath } from '../resource-calls.ts';
import { hrefOf } from '../search-query.ts';
import type { PlainKey } from '../texts.ts';
import { type Chart, type Column, chart, type Kind } from './chart.ts';

/** Rows of a list. */
const MAX_ROWS = 20;

const dashboard = 'operations' as const;

const column = (key: string, label: string, kind: Kind = 'number'): Column => ({ key, label, kind });

/** Requests per minute of the last hour, or per hour of the last day. */
const traffic = (id: string, interval: 'MINUTE' | 'HOUR', title: PlainKey): Chart =>
  chart({
    ...{ id, dashboard, title, shape: 'lines' as const, follows: [] },
    draws: ['requests', 'refused', 'failed'],
    document: ChartTrafficDocument,
    variables: () => ({ interval }),
    read: ({ site }, { texts: { t } }) => ({
      columns: [
        column('start', t('charts.time'), 'moment'),
        column('requests', t('charts.requests')),
        column('refused', t('charts.refused')),
        column('failed', t('charts.failed')),
        column('average_ms', t('charts.average'), 'milliseconds'),
      ],
      rows: site.operations.traffic.map(({ start, requests, refused, failed, averageMs }) => ({
        cells: [start, requests, refused, failed, averageMs === null ? null : Math.round(averageMs! * 10) / 10],
      })),
    }),
  });

const processes = chart({
  ...{
    id: 'processes',
    dashboard,
    title: 'charts.processes' as const,
    shape: 'table' as const,
    isWide: true,
    follows: [],
  },
  document: ChartProcessesDocument,
  variables: () => ({}),
  read: ({ site }, { texts: { t } }) => ({
    columns: [
      column('process', t('charts.process'), 'text'),
      column('state', t('charts.state'), 'text'),
      column('memory', t('charts.memory'), 'bytes'),
      column('version', t('charts.version'), 'text'),
      column('started_at', t('charts.started'), 'moment'),
      column('beat_at', t('charts.beat'), 'moment'),
    ],
    rows: site.operations.processes.map(({ host, pid, version, startedAt, beatAt, isAlive, memory }) => ({
      cells: [`${host}:${pid}`, t(isAlive ? 'charts.alive' : 'charts.ended'), memory, version, startedAt, beatAt],
    })),
  }),
});

const slow = chart({
  ...{ id: 'slow-requests', dashboard, title: 'charts.slow' as const, text: 'charts.slowText' as const },
  ...{ shape: 'table' as const, isWide: true, follows: [] },
  document: ChartSlowRequestsDocument,
  variables: () => ({}),
  read: ({ site }, { texts: { t } }) => ({
    columns: [
      column('request', t('charts.request'), 'text'),
      column('operation', t('charts.operation'), 'text'),
      column('milliseconds', t('charts.duration'), 'milliseconds'),
      column('status', t('charts.status'), 'text'),
      column('at', t('charts.time'), 'moment'),
    ],
    rows: site.operations.slowRequests.map(({ at, method, route, operation, status, milliseconds }) => ({
      cells: [`${method} ${route}`, operation ?? null, milliseconds, String(status), at],
    })),
  }),
});

const jobs = chart({
  ...{ id: 'jobs', dashboard, title: 'charts.jobs' as const, shape: 'table' as const, follows: [] },
  document: ChartJobsDocument,
  variables: () => ({}),
  read: ({ site }, { texts: { t } }) => ({
    columns: [
      column('kind', '', 'code'),
      column('state', '', 'code'),
      column('job', t('charts.job'), 'text'),
      column('job_state', t('charts.state'), 'text'),
      column('jobs', t('charts.count')),
      column('oldest_at', t('charts.oldest'), 'moment'),
    ],
    rows: site.operations.jobs.map(({ kind, state, count, oldestAt }) => ({
      cells: [kind, state, t('jobs.kind', { kind }), t('jobs.state', { state }), count, oldestAt],
      href: hrefOf('/ckan-admin/jobs', [
        ['state', state.toLowerCase()],
        ['kind', kind],
      ]),
    })),
  }),
});

const loads = chart({
  ...{ id: 'failed-loads', dashboard, title: 'charts.loads' as const, text: 'charts.loadsText' as const },
  ...{ shape: 'table' as const, follows: [] },
  document: ChartFailedLoadsDocument,
  variables: ({ rows }) => ({ first: Math.min(MAX_ROWS, rows) }),
  read: ({ jobs: { nodes, totalCount } }, { texts: { t } }) => ({
    columns: [
      column('resource', '', 'code'),
      column('dataset', t('charts.dataset'), 'text'),
      column('finished_at', t('charts.time'), 'moment'),
      column('error', t('charts.error'), 'text'),
    ],
    rows: nodes.map(({ subjectId, error, finishedAt, dataset }) => ({
      cells: [subjectId, dataset?.title || dataset?.name || null, finishedAt ?? null, error ?? null],
      ...(dataset && { href: `${resourcePath(dataset.name, subjectId)}/edit` }),
    })),
    more: totalCount - nodes.length,
  }),
});

const harvests = chart({
  ...{ id: 'harvests', dashboard, title: 'charts.harvests' as const, text: 'charts.harvestsText' as const },
  ...{ shape: 'table' as const, isWide: true, follows: [] },
  document: ChartHarvestsDocument,
  variables: ({ rows }) => ({ first: Math.min(MAX_ROWS, rows) }),
  read: ({ harvestSources: { nodes, totalCount } }, { texts: { t } }) => ({
    columns: [
      column('name', '', 'code'),
      column('source', t('charts.source'), 'text'),
      column('state', t('charts.state'), 'text'),
      column('started_at', t('charts.started'), 'moment'),
      column('created', t('charts.created')),
      column('updated', t('charts.updated')),
      column('deleted', t('charts.deleted')),
      column('failed', t('charts.failed')),
    ],
    rows: nodes.map(
      ({
        name,
        title,
        runs: {
          nodes: [run],
        },
      }) => ({
        cells: run
          ? [
              name,
              title,
              t('charts.run', { state: run.state }),
              run.startedAt,
              run.created,
              run.updated,
              run.deleted,
              run.failed,
            ]
          : [name, title, null, null, null, null, null, null],
      }),
    ),
    more: totalCount - nodes.length,
  }),
});

const webhooks = chart({
  ...{
    id: 'webhooks',
    dashboard,
    title: 'charts.webhooks' as const,
    shape: 'table' as const,
    isWide: true,
    follows: [],
  },
  document: ChartWebhooksDocument,
  variables: ({ rows }) => ({ first: Math.min(MAX_ROWS, rows) }),
  read: ({ webhooks: { nodes, totalCount } }, { texts: { t } }) => ({
    columns: [
      column('webhook', t('charts.webhook'), 'text'),
      column('state', t('charts.state'), 'text'),
      column('dead_letters', t('charts.deadLetters')),
      column('behind', t('charts.behind')),
      column('last_success_at', t('charts.lastSuccess'), 'moment'),
      column('last_error', t('charts.error'), 'text'),
    ],
    rows: nodes.map(({ name, state, behind, lastSuccessAt, lastError, deadLetters }) => ({
      cells: [
        ...[name, t('charts.webhookState', { state }), deadLetters.totalCount, behind],
        ...[lastSuccessAt ?? null, lastError ?? null],
      ],
    })),
    more: totalCount - nodes.length,
  }),
});

const datastore = chart({
  ...{ id: 'datastore', dashboard, title: 'charts.datastore' as const, shape: 'tiles' as const, follows: [] },
  document: ChartDatastoreDocument,
  variables: () => ({}),
  read: ({ site: { operations } }, { texts: { t } }) => ({
    columns: [column('bytes', t('charts.size'), 'bytes'), column('tables', t('stats.tables'))],
    rows: operations.datastore ? [{ cells: [operations.datastore.bytes, operations.datastore.tables] }] : [],
  }),
});

const tables = chart({
  ...{ id: 'tables', dashboard, title: 'charts.largest' as const, shape: 'bars' as const, follows: [] },
  draws: ['bytes'],
  document: ChartLargestTablesDocument,
  variables: ({ rows }) => ({ first: Math.min(10, rows) }),
  read({ site: { operations } }, { texts: { t } }) {
    const largest = operations.datastore?.largest ?? [];
    return {
      columns: [
        column('resource', '', 'code'),
        column('name', t('charts.tableName'), 'text'),
        column('bytes', t('charts.size'), 'bytes'),
        column('rows', '', 'code'),
      ],
      rows: largest.map(({ resourceId, bytes, rows, resource }) => ({
        cells: [resourceId, resource?.name || resourceId, bytes, rows ?? null],
        ...(resource?.dataset && { href: resourcePath(resource.dataset.name, resourceId) }),
      })),
      more: (operations.datastore?.tables ?? 0) - largest.length,
    };
  },
});

export const OPERATIONS: readonly Chart[] = [
  traffic('requests', 'MINUTE', 'charts.lastHour'),
  traffic('requests-by-hour', 'HOUR', 'charts.lastDay'),
  slow,
  processes,
  jobs,
  loads,
  harvests,
  webhooks,
  datastore,
  tables,
];
