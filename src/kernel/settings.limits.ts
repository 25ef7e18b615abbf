/** What callers may send, ask and spend: a part of the table in settings.ts. */
import { bool, bytes, int, list, type Setting, textOrNull } from './settingTypes.ts';

const KIB = 2 ** 10;

export const LIMIT_SETTINGS = {
  'catalog.limits.json_body': bytes(10 * KIB * KIB, KIB, 'Size of a JSON or form body, at most.'),
  'catalog.limits.json_values': int(
    100_000,
    1_000,
    10_000_000,
    'Values in a JSON body, at most: what its lists and objects hold at all levels.',
  ),
  'catalog.limits.json_records': int(
    1_000_000,
    1_000,
    10_000_000,
    'The same for users who write records, by `datastore_create` and `datastore_upsert` or on `/graphql`.',
  ),
  'catalog.limits.upload': bytes(KIB * KIB * KIB, KIB, 'Size of an uploaded file, at most.'),
  'catalog.limits.uploads_per_user': int(
    20,
    1,
    10_000,
    'Uploads of one user that are begun and neither used nor expired, at most.',
  ),
  'catalog.limits.upload_bytes_per_user': {
    ...bytes(
      0,
      KIB,
      'Size of all uploads of one user that are begun and neither used nor deleted after they expired, at most, as announced.',
    ),
    default: (others: Readonly<Record<string, unknown>>) => 4 * (others['catalog.limits.upload'] as number),
    defaultText: '4 × <catalog.limits.upload>',
  },
  'catalog.limits.import_failures': int(
    1_000,
    1,
    1_000_000_000,
    'Lines of one `POST /import` that may fail one after the other; then it stops, and says where.',
  ),
  'catalog.limits.image': bytes(10 * KIB * KIB, KIB, 'Size of an image of a group, organization or user, at most.'),
  'catalog.limits.rows': int(1_000, 1, 1_000_000, 'Greatest `rows` and `limit` of searches and lists.'),
  'catalog.limits.tags': int(1_000, 1, 1_000_000, 'Tags on one dataset, at most.'),
  'catalog.limits.views': int(100, 1, 10_000, 'Views on one resource, at most.'),
  'catalog.limits.streams': int(
    5_000,
    0,
    1_000_000,
    'Streams of changes that one process keeps open at a time, at most: subscriptions, `/changes` as events, and requests that wait.',
  ),
  'catalog.limits.streams_per_caller': int(
    50,
    0,
    1_000_000,
    'The same for one user, or one network address of visitors (of version 6 its first 64 bits).',
  ),
  'catalog.limits.sockets': int(
    5_000,
    0,
    1_000_000,
    'WebSockets that one process keeps open at a time, at most, for subscriptions on `/graphql`; `catalog.limits.streams_per_caller` bounds those of one caller, and those of one network address that have not begun yet.',
  ),
  'catalog.limits.graphql_depth': int(20, 1, 1_000, 'Nesting of a query on `/graphql`, at most.'),
  'catalog.limits.graphql_cost': int(
    50_000,
    1,
    1_000_000_000,
    'Cost of a query on `/graphql`, at most: fields, multiplied by the list sizes asked for.',
  ),
  'catalog.limits.graphql_page': int(
    100,
    1,
    1_000,
    'Nodes of one connection on `/graphql`, at most; `catalog.limits.rows` bounds it too.',
  ),
  'catalog.limits.graphql_nodes': int(
    25_000,
    1,
    10_000_000,
    'Objects in all lists of a query on `/graphql`, at most, as it may give them.',
  ),
  'catalog.graphql.documents': textOrNull(
    'Documents that this site trusts on `/graphql`: a JSON file from names to texts, or a folder of such files and `.graphql` files. They can be asked for by name or hash ([graphql.md](graphql.md)).',
    { isPath: true },
  ),
  'catalog.graphql.trusted_only': bool(
    false,
    'Whether visitors who are not signed in may run no other documents than those on `/graphql`.',
  ),
  'catalog.graphql.plugins': textOrNull(
    'A JavaScript module whose default export is an Apollo Server plugin, or a list of them. They see every operation on `/graphql` ([graphql.md](graphql.md)).',
    { isPath: true },
  ),
  'catalog.graphql.max_age': int(
    0,
    0,
    86_400,
    'Seconds that anybody may keep an answer of `/graphql` to a `GET` of nobody in particular. 0: it may be kept, and must be asked for again each time (`ETag`).',
  ),
  'catalog.rate.anonymous': int(
    0,
    0,
    1_000_000_000,
    'Cost that visitors may spend per minute, by address; 0 is no limit. What costs how much: [graphql.md](graphql.md).',
  ),
  'catalog.rate.users': int(0, 0, 1_000_000_000, 'The same for each user; system administrators have no limit.'),
  'catalog.rate.saved': int(5, 1, 1_440, 'Minutes of it that can be saved up and spent at once.'),
  'catalog.rate.exempt': list([], 'Addresses and networks without a limit, written as in `catalog.trusted_proxies`.'),
  'catalog.rate.shared': bool(
    false,
    'Whether several processes on one database count together, each second; otherwise each counts for itself.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
