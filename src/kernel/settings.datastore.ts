/** The settings of the DataStore: a part of the table in settings.ts. */
import { bool, bytes, int, POSTGRES, type Setting, urlOrNull } from './settings.types.ts';

export const DATASTORE_SETTINGS = {
  'catalog.datastore.write_url': urlOrNull(
    'URL of the DataStore database, with the role that writes. Default: the embedded PostgreSQL. If `catalog.database_url` is set, there is no default, and the DataStore is off.',
    POSTGRES,
  ),
  'catalog.datastore.read_url': urlOrNull(
    'URL of the same database, with the read-only role. Its host must not lead to several servers. If only `catalog.datastore.write_url` is set, the DataStore works in legacy mode, without `datastore_search_sql`.',
    POSTGRES,
  ),
  'catalog.datastore.hide_private': bool(
    true,
    'Whether the DataStore hides tables of private datasets from callers who may not read them. Tables of draft and deleted datasets are always hidden.',
  ),
  'catalog.datastore.max_rows': int(32_000, 1, 10_000_000, 'Maximum rows in one response of the DataStore.'),
  'catalog.datastore.downloads': int(
    10,
    1,
    1_000,
    'Maximum concurrent table downloads per process. Each uses its own connection, in addition to `catalog.database_pool`.',
  ),
  'catalog.datastore.downloads_per_caller': int(
    3,
    1,
    1_000,
    'Maximum concurrent table downloads per process for one user, or one IP address of anonymous visitors (for IPv6, its first 64 bits).',
  ),
  'catalog.datastore.statements_per_caller': int(
    4,
    1,
    1_000,
    'Maximum concurrent `datastore_search_sql` statements per process for one user, or one IP address of anonymous visitors. The same number of table searches, pages and aggregates is allowed in addition. Further requests wait up to ten seconds. Set it below `catalog.database_pool`, so that connections remain for other callers.',
  ),
  'catalog.datastore.sql_timeout': int(
    60,
    1,
    86_400,
    'Timeout (s) of one search, page or aggregate of a table, and of one `datastore_search_sql` statement.',
  ),
  'catalog.datastore.sql_memory': bytes(
    128 * 2 ** 20,
    16 * 2 ** 20,
    'Maximum memory of one `datastore_search_sql` statement in PostgreSQL. It applies if PostgreSQL runs on this machine, under Linux, and its processes can be limited. For other installations see [datastore.md](datastore.md).',
  ),
  'catalog.datastore.auto_indexes': int(
    4,
    0,
    32,
    'Maximum number of indexes that the server makes for each table of at least 10,000 rows, from the filters and orders that readers use. With 0, none are made, and existing ones are dropped ([datastore.md](datastore.md#automatic-indexes)).',
  ),
  'catalog.datastore.auto_indexes_size': bytes(
    256 * 2 ** 20,
    2 ** 20,
    'Maximum total size of the automatic indexes of one table, estimated before the server makes them.',
  ),
  'catalog.datastore.lock_timeout': int(
    30,
    1,
    3_600,
    'Seconds that a request waits for concurrent writers of the same table before it fails with `CONFLICT`. Requests with the timeout `catalog.datastore.sql_timeout` wait at most half of that timeout.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
