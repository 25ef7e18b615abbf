/** The metrics of this process, as a page for Prometheus. */
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import { cacheCounts } from '../infra/concurrency/lru.ts';
import type { Logger } from '../infra/log/log.ts';
import { createProbe } from '../infra/postgres/probe.ts';
import { version } from '../kernel/version.ts';
import { type Definition, EVENTS, FACTS, type FactName } from './definitions.ts';
import type { CountingMeter } from './meter.ts';
import type { RequestCounts } from './requests.ts';
import { type SiteRow, siteState } from './site.sql.ts';
import type { Sample } from './tally.ts';

/** State of a connection pool, as `pg` has it. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
  readonly options: { readonly max: number };
}

export interface MetricsOptions {
  readonly meter: CountingMeter;
  readonly requests: RequestCounts;
  /** Requests in progress. */
  readonly running: () => number;
  /** Open connections of clients. */
  readonly connections: () => Promise<number>;
  /** Open streams of changes. */
  readonly streams: () => number;
  readonly pools: Readonly<Record<string, Pool>>;
  /** States of the read replicas. */
  readonly replicas: () => readonly { readonly isUp: boolean; readonly lagBytes: number }[];
  /** State of each part of `/readyz`. */
  readonly parts: () => Promise<Readonly<Record<string, boolean>>>;
  readonly databaseUrl: string;
  readonly log: Logger;
}

export interface Page {
  readonly type: string;
  readonly text: string;
}

export interface Metrics {
  page(): Promise<Page>;
  close(): Promise<void>;
}

/** Timeout in ms for the state of the site. */
const TIMEOUT = 2_000;
/** ms for which it is cached, which bounds the statements for any number of requests. */
const CACHE_TIME = 2_000;

export function createMetrics(options: MetricsOptions): Metrics {
  const { meter, requests, pools, databaseUrl, log } = options;
  const registry = new Registry();
  const probe = createProbe(databaseUrl);
  const site = cachedState((signal) => siteState(probe, signal), log);
  const poolSamples = (sample: (name: string, pool: Pool) => Sample[]) => async () =>
    Object.entries(pools).flatMap(([name, pool]) => sample(name, pool));
  const read: Partial<Record<FactName, () => Promise<Sample[]>>> = {
    catalog_requests_total: async () => requests.samples('catalog_requests_total'),
    catalog_request_duration_seconds: async () => requests.samples('catalog_request_duration_seconds'),
    catalog_operation_seconds_total: async () => requests.samples('catalog_operation_seconds_total'),
    catalog_requests_running: async () => [one(options.running())],
    catalog_connections: async () => [one(await options.connections())],
    catalog_streams: async () => [one(options.streams())],
    catalog_pool_connections: poolSamples((pool, { totalCount, idleCount }) => [
      one(totalCount - idleCount, { pool, state: 'used' }),
      one(idleCount, { pool, state: 'idle' }),
    ]),
    catalog_pool_max: poolSamples((pool, { options: { max } }) => [one(max, { pool })]),
    catalog_pool_waiting: poolSamples((pool, { waitingCount }) => [one(waitingCount, { pool })]),
    catalog_replica_up: async () => options.replicas().map(({ isUp }, at) => one(isUp ? 1 : 0, replica(at))),
    catalog_replica_lag_bytes: async () => options.replicas().map(({ lagBytes }, at) => one(lagBytes, replica(at))),
    catalog_cache_requests_total: async () =>
      [...cacheCounts()].flatMap(([cache, { hits, misses }]) => [
        one(hits, { cache, result: 'hit' }),
        one(misses, { cache, result: 'miss' }),
      ]),
    catalog_part_up: async () =>
      Object.entries(await options.parts()).map(([part, isUp]) => one(isUp ? 1 : 0, { part })),
    catalog_build_info: async () => [one(1, { version, node: process.version })],
    catalog_site_state_up: async () => [one((await site()) === null ? 0 : 1)],
  };
  const ofSite = (name: string) => async () =>
    ((await site()) ?? []).filter((row) => row.name === name).map((row) => labelled(row));
  for (const [name, definition] of Object.entries<Definition>(FACTS))
    register(registry, name, definition, read[name as FactName] ?? ofSite(name));
  for (const [name, definition] of Object.entries<Definition>(EVENTS))
    register(registry, name, definition, async () => meter.samples(name as keyof typeof EVENTS));
  collectDefaultMetrics({ register: registry });
  return {
    page: async () => ({ type: registry.contentType, text: await registry.metrics() }),
    close: () => probe.close(),
  };
}

const one = (value: number, labels: Sample['labels'] = {}): Sample => ({ labels, value });

const replica = (at: number): Sample['labels'] => ({ replica: String(at + 1) });

const labelled = ({ name, labels, value }: SiteRow): Sample =>
  one(value, Object.fromEntries(FACTS[name as FactName].labels.map((label, at) => [label, labels[at] as string])));

/** Adds a metric whose values are read when the page is. A counter without labels begins at 0, not when it first counts. */
function register(
  registry: Registry,
  name: string,
  { type, help, labels }: Definition,
  read: () => Promise<Sample[]>,
): void {
  const get = async () => {
    const values = await read();
    const isNew = values.length === 0 && labels.length === 0 && type === 'counter';
    return { name, help, type, aggregator: 'sum', values: isNew ? [one(0)] : values };
  };
  registry.registerMetric({ name, help, type, get } as unknown as Metric);
}

/** Reads the state of the site, at most once per CACHE_TIME. Null if that fails. */
function cachedState(read: (signal: AbortSignal) => Promise<SiteRow[]>, log: Logger): () => Promise<SiteRow[] | null> {
  let last: { readonly at: number; readonly rows: Promise<SiteRow[] | null> } | null = null;
  let isFailing = false;
  async function now(): Promise<SiteRow[] | null> {
    try {
      const rows = await read(AbortSignal.timeout(TIMEOUT));
      isFailing = false;
      return rows;
    } catch (failure) {
      if (!isFailing) log.warn({ err: failure }, 'reading the state of the site for metrics failed');
      isFailing = true;
      return null;
    }
  }
  return () => {
    const at = performance.now();
    if (last === null || at - last.at > CACHE_TIME) last = { at, rows: now() };
    return last.rows;
  };
}
