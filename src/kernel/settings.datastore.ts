/** The settings of the DataStore: a part of the table in settings.ts. */
import { bool, bytes, int, POSTGRES, type Setting, urlOrNull } from './settingTypes.ts';

export const DATASTORE_SETTINGS = {
  'catalog.datastore.write_url': urlOrNull(
    'PostgreSQL of the DataStore, as the role that writes. Without it the embedded PostgreSQL serves the DataStore, unless `catalog.database_url` is set: then there is no DataStore.',
    POSTGRES,
  ),
  'catalog.datastore.read_url': urlOrNull(
    'The same database as the role that only reads. Without it, where `catalog.datastore.write_url` is set, the DataStore works in legacy mode: no `datastore_search_sql`.',
    POSTGRES,
  ),
  'catalog.datastore.hide_private': bool(
    true,
    'Whether the DataStore hides tables of datasets that the caller may not see.',
  ),
  'catalog.datastore.max_rows': int(32_000, 1, 10_000_000, 'Rows in one answer of the DataStore, at most.'),
  'catalog.datastore.downloads': int(
    10,
    1,
    1_000,
    'Whole tables that one process writes at a time, at most. Each takes a connection of its own, beside those of `catalog.database_pool` that all else has.',
  ),
  'catalog.datastore.downloads_per_caller': int(
    3,
    1,
    1_000,
    'The same for one user, or one network address of visitors (of version 6 its first 64 bits).',
  ),
  'catalog.datastore.statements_per_caller': int(
    4,
    1,
    1_000,
    'Statements of `datastore_search_sql` that one user, or one network address of visitors, has under way in one process, at most; as many searches, pages and figures of tables beside them. More wait for their turn, ten seconds at most. Below `catalog.database_pool` others always have connections left.',
  ),
  'catalog.datastore.sql_timeout': int(
    60,
    1,
    86_400,
    'Seconds that one search, page or figure of a table may take, and one statement of `datastore_search_sql`.',
  ),
  'catalog.datastore.sql_memory': bytes(
    128 * 2 ** 20,
    16 * 2 ** 20,
    'Memory that one statement of `datastore_search_sql` may take in PostgreSQL, at most: where its processes run on this machine, under Linux, and may be limited. What to set elsewhere: [datastore.md](datastore.md).',
  ),
  'catalog.datastore.lock_timeout': int(
    30,
    1,
    3_600,
    'Seconds that a request waits for others who are writing the same table, before it is told to try again (`CONFLICT`); those that `catalog.datastore.sql_timeout` ends wait for half of that at most.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
