/** The settings of the catalog database and its replicas: a part of the table in settings.ts. */
import { int, list, POSTGRES, type Setting, urlOrNull } from './settings.types.ts';

export const DATABASE_SETTINGS = {
  'catalog.database_url': urlOrNull(
    'URL of the catalog database, PostgreSQL 14 or newer. Default: the embedded PostgreSQL.',
    { ...POSTGRES, alias: 'DATABASE_URL' },
  ),
  'catalog.database_replica_urls': list(
    [],
    'URLs of read replicas of the catalog database: hot standbys of `catalog.database_url` with streaming replication ([replicas.md](replicas.md)). They answer queries of public data if they have all writes that the caller must see.',
    { ...POSTGRES, alias: 'DATABASE_REPLICA_URLS' },
  ),
  'catalog.database_replica_max_age': int(
    100,
    0,
    60_000,
    'Maximum age (ms) of what a replica answers to callers without a user. Changes of other processes, such as a dataset that becomes private, are visible to them after that time at the latest. 0: at once, which costs one small statement of the primary for each group of concurrent reads.',
  ),
  'catalog.database_pool': int(
    10,
    1,
    1_000,
    'Maximum connections to the catalog database per process, and to each read replica.',
  ),
  'catalog.database_connect_timeout': int(
    10,
    1,
    3_600,
    'Seconds that a request waits for a new or pooled connection to PostgreSQL, for the catalog or the DataStore. After that the response is `UNAVAILABLE` (503).',
  ),
  'catalog.database_response_timeout': int(
    5,
    1,
    3_600,
    'Seconds without a response from PostgreSQL after which the server is probed on a new connection, with the same timeout. If the probe succeeds, the statement continues. Otherwise the connection is closed, and the response is `UNAVAILABLE` (503).',
  ),
  'catalog.database_statement_timeout': int(
    60,
    1,
    86_400,
    'Timeout (s) of one statement of a request in the catalog database, outside transactions. Commands such as `documents rebuild` have no timeout.',
  ),
  'catalog.database_transaction_timeout': int(
    60,
    1,
    86_400,
    'Timeout (s) of one transaction in the catalog database, and of each statement in it. A transaction that exceeds it is rolled back.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
