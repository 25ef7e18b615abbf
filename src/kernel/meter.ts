/** Counters of events, as features see them. src/monitor declares and publishes them. */

/** Counters that features add to, and the values of their labels in order. No value is an id or a text of a caller. */
export interface Events {
  catalog_graphql_operations_total: readonly [kind: string, result: string];
  catalog_rate_limit_refusals_total: readonly [caller: 'address' | 'user'];
  catalog_jobs_finished_total: readonly [kind: string, result: 'done' | 'failed' | 'cancelled' | 'retried'];
  catalog_job_seconds_total: readonly [kind: string];
  catalog_harvest_runs_total: readonly [reader: string, result: string];
  catalog_harvest_records_total: readonly [result: 'created' | 'updated' | 'unchanged' | 'deleted' | 'failed'];
  catalog_loads_total: readonly [result: 'loaded' | 'unchanged'];
  catalog_loaded_rows_total: readonly [];
  catalog_webhook_messages_total: readonly [result: 'delivered' | 'refused' | 'dead'];
  catalog_mails_total: readonly [result: 'sent' | 'failed'];
  catalog_trace_spans_total: readonly [result: 'sent' | 'dropped' | 'limited'];
  catalog_replica_reads_total: readonly [target: 'replica' | 'primary' | 'repeated'];
}

/** Distributions of values, in the same way. */
export interface Distributions {
  catalog_graphql_cost: readonly [kind: string];
}

export interface Meter {
  /** Adds to a counter, by default 1. Never throws and never waits. */
  add<Name extends keyof Events>(name: Name, labels: Events[Name], by?: number): void;
  /** Adds a value to a distribution, in the same way. */
  observe<Name extends keyof Distributions>(name: Name, labels: Distributions[Name], value: number): void;
}

/** For sites without metrics. */
export const noMeter: Meter = { add() {}, observe() {} };
