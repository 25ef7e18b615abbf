/** State of the servers, their requests, and the DataStore. */

import type { Call } from '../kernel/call.ts';
import { invalidField } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';
import { mayReadOperations } from './operations.policy.ts';
import { countJobs, type JobCountRecord, listProcesses, type ProcessRecord } from './process.store.ts';
import { MAX_SLOW, type RequestRecord, SLOW_FOR } from './recorder.ts';
import { datastoreSize, largestTables, type TableSizeRecord } from './storage.sql.ts';
import { type TrafficInterval, type TrafficRecord, trafficOf } from './traffic.sql.ts';

const MAX_PROCESSES = 100;
const MAX_TABLES = 50;
/** ms since the last heartbeat of a running process. */
const ALIVE_FOR = 30_000;

export type ServerProcessRecord = ProcessRecord & { readonly isAlive: boolean };
export type SlowRequestRecord = Omit<RequestRecord, 'at'> & { readonly at: Date };

export interface DatastoreRecord {
  readonly bytes: number;
  readonly tables: number;
  readonly largest: (args: { first: number }) => Promise<TableSizeRecord[]>;
}

export interface OperationsRecord {
  readonly processes: () => Promise<ServerProcessRecord[]>;
  readonly traffic: (args: { interval: TrafficInterval }) => Promise<TrafficRecord[]>;
  readonly slowRequests: () => Promise<SlowRequestRecord[]>;
  readonly jobs: () => Promise<JobCountRecord[]>;
  readonly datastore: () => Promise<DatastoreRecord | null>;
}

/** @throws CatalogError NOT_AUTHORIZED */
export function operations(call: Call): OperationsRecord {
  const refusal = mayReadOperations(call.actor);
  if (refusal) throw refusal;
  const { db, sql, stores } = call;
  const now = call.request.now.getTime();
  let processes: Promise<ProcessRecord[]> | undefined;
  const listed = () => (processes ??= listProcesses(db, new Date(now - DAY), MAX_PROCESSES));
  return {
    processes: async () => (await listed()).map((it) => ({ ...it, isAlive: now - it.beatAt.getTime() <= ALIVE_FOR })),
    traffic: ({ interval }) => trafficOf(sql, interval, call.request.now),
    slowRequests: async () =>
      (await listed())
        .flatMap(({ slowest }) => slowest)
        .filter(({ at }) => at > now - SLOW_FOR)
        .sort((a, b) => b.milliseconds - a.milliseconds)
        .slice(0, MAX_SLOW)
        .map((it) => ({ ...it, at: new Date(it.at) })),
    jobs: () => countJobs(db),
    async datastore() {
      const { datastore } = stores;
      if (datastore === null) return null;
      return {
        ...(await datastoreSize(datastore.sql)),
        async largest({ first }) {
          if (first < 1 || first > MAX_TABLES)
            throw invalidField('first', `Must be between 1 and ${MAX_TABLES} (got ${first})`);
          return largestTables(datastore.sql, first);
        },
      };
    },
  };
}
