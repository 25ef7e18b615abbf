/** All metrics of our own: type, labels and meaning. docs/monitor.md has the same table. */
import type { Distributions, Events } from '../kernel/meter.ts';

export interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  /** One or two sentences, for the page and for docs/monitor.md. */
  readonly help: string;
  /** Upper bounds of a histogram. */
  readonly bounds?: readonly number[];
  /** Facts of the whole site, which every process reports. A dashboard takes their maximum, never their sum. */
  readonly isSite?: true;
}

const counter = (help: string, ...labels: string[]): Definition => ({ type: 'counter', labels, help });
const gauge = (help: string, ...labels: string[]): Definition => ({ type: 'gauge', labels, help });
const site = (help: string, ...labels: string[]): Definition => ({ type: 'gauge', labels, help, isSite: true });

/** Counters and distributions that features add to. */
export const EVENTS = {
  catalog_graphql_operations_total: counter(
    'Operations of clients of /graphql, also over WebSocket. kind is query, mutation, subscription or none. result is ok, or the code of the first error.',
    'kind',
    'result',
  ),
  catalog_graphql_cost: {
    type: 'histogram',
    labels: ['kind'],
    help: 'Cost of admitted operations of clients of /graphql.',
    bounds: [1, 10, 100, 1_000, 10_000],
  },
  catalog_rate_limit_refusals_total: counter(
    'Operations refused by a rate limit. caller is user, or address for anonymous callers.',
    'caller',
  ),
  catalog_jobs_finished_total: counter(
    'Attempts at jobs of this process. result is done, failed, cancelled, or retried for a failure that is attempted again.',
    'kind',
    'result',
  ),
  catalog_job_seconds_total: counter('Seconds that attempts at jobs took.', 'kind'),
  catalog_harvest_runs_total: counter(
    'Harvest runs that ended. reader is ckan or dcat. result is done, failed or stopped.',
    'reader',
    'result',
  ),
  catalog_harvest_records_total: counter(
    'Records of ended harvest runs. result is created, updated, unchanged, deleted or failed.',
    'result',
  ),
  catalog_loads_total: counter(
    'Files read for a table. result is loaded, or unchanged if the table already had the content. Failures are jobs of the kind load.',
    'result',
  ),
  catalog_loaded_rows_total: counter('Rows of loaded files.'),
  catalog_webhook_messages_total: counter(
    'Attempts to deliver a webhook message. result is delivered, refused, or dead for the last attempt.',
    'result',
  ),
  catalog_mails_total: counter('Mails handed to the mail server. result is sent or failed.', 'result'),
  catalog_trace_spans_total: counter(
    'Spans of traces. result is sent, dropped if the collector is down or too slow, or limited for spans of a trace with more than 500.',
    'result',
  ),
  catalog_replica_reads_total: counter(
    'Queries that read replicas may answer. target is replica, primary if no replica was up to date, or repeated if the primary answered after a replica did not.',
    'target',
  ),
} as const satisfies Record<keyof Events | keyof Distributions, Definition>;

/** Facts about requests, the process and the site. */
export const FACTS = {
  catalog_requests_total: counter(
    'HTTP requests that ended. operation is the name of the action or trusted GraphQL operation, or the pattern of the route. It is other for all else. status 499: the client left before the response.',
    'facade',
    'operation',
    'status',
  ),
  catalog_request_duration_seconds: {
    type: 'histogram',
    labels: ['facade'],
    help: 'Seconds until the headers of the response were sent. Without streams and long polling.',
    bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  catalog_operation_seconds_total: counter(
    'Sum of these seconds by operation. Divide its rate by that of catalog_requests_total for the mean.',
    'facade',
    'operation',
  ),
  catalog_requests_running: gauge('HTTP requests in progress, with open streams.'),
  catalog_connections: gauge('Open connections of clients, with WebSockets.'),
  catalog_streams: gauge('Open streams of changes: event streams, subscriptions and long polling.'),
  catalog_pool_connections: gauge('Connections to PostgreSQL. state is used or idle.', 'pool', 'state'),
  catalog_pool_max: gauge('Maximum connections of a pool.', 'pool'),
  catalog_pool_waiting: gauge('Requests that wait for a connection of a pool.', 'pool'),
  catalog_replica_up: gauge(
    '1 if a read replica answers and follows the primary, otherwise 0. replica is its place in catalog.database_replica_urls, from 1.',
    'replica',
  ),
  catalog_replica_lag_bytes: gauge('Bytes of the write-ahead log that a replica has not replayed.', 'replica'),
  catalog_cache_requests_total: counter('Look-ups in a cache. result is hit or miss.', 'cache', 'result'),
  catalog_part_up: gauge('1 if a part of /readyz works, otherwise 0.', 'part'),
  catalog_build_info: gauge('1, with the version of the catalog and of Node as labels.', 'version', 'node'),
  catalog_site_state_up: gauge('1 if the metrics of the site below could be read from the database, otherwise 0.'),
  catalog_jobs_waiting: site('Queued jobs that are due. lane is urgent or normal.', 'kind', 'lane'),
  catalog_jobs_waiting_seconds: site('Seconds for which the longest waiting of these has been due.', 'kind', 'lane'),
  catalog_jobs_running: site('Jobs that run, in all processes.', 'kind'),
  catalog_change_feed_pending: site('Committed changes that have no position yet, at most 10,000.'),
  catalog_change_feed_pending_seconds: site('Age of the oldest of these changes.'),
  catalog_webhooks: site('Webhooks. state is active, paused or disabled.', 'state'),
  catalog_webhook_lag_seconds: site('Age of the oldest change that an active webhook has still to send or skip.'),
  catalog_webhook_dead_letters: site('Webhook messages that no receiver accepted.'),
  catalog_harvest_sources: site('Harvest sources by the state of their last run, or never.', 'state'),
  catalog_backlog: site(
    'Objects that wait for a background loop, at most 10,000. queue is statistics or quality.',
    'queue',
  ),
} as const satisfies Record<string, Definition>;

export type FactName = keyof typeof FACTS;
export const METRICS: Readonly<Record<string, Definition>> = { ...FACTS, ...EVENTS };
