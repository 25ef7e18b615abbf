/** Limits and quotas of requests: a part of the table in settings.ts. */
import { bool, bytes, int, list, type Setting, textOrNull } from './settings.types.ts';

const KIB = 2 ** 10;

export const LIMIT_SETTINGS = {
  'catalog.limits.json_body': bytes(10 * KIB * KIB, KIB, 'Maximum size of a JSON or form body.'),
  'catalog.limits.json_values': int(
    100_000,
    1_000,
    10_000_000,
    'Maximum number of values in a JSON body, over all its lists and objects.',
  ),
  'catalog.limits.json_records': int(
    1_000_000,
    1_000,
    10_000_000,
    'Maximum number of values in a JSON body of a user who writes records with `datastore_create`, `datastore_upsert` or `/graphql`.',
  ),
  'catalog.limits.upload': bytes(KIB * KIB * KIB, KIB, 'Maximum size of an uploaded file.'),
  'catalog.limits.uploads_per_user': int(
    20,
    1,
    10_000,
    'Maximum open uploads per user: started, and neither used nor expired.',
  ),
  'catalog.limits.upload_bytes_per_user': {
    ...bytes(
      0,
      KIB,
      'Maximum announced size of all uploads of one user that are neither used nor deleted after expiry.',
    ),
    default: (others: Readonly<Record<string, unknown>>) => 4 * (others['catalog.limits.upload'] as number),
    defaultText: '4 × <catalog.limits.upload>',
  },
  'catalog.limits.import_failures': int(
    1_000,
    1,
    1_000_000_000,
    'Consecutive failed lines after which one `POST /import` stops. The response says where it stopped.',
  ),
  'catalog.limits.image': bytes(10 * KIB * KIB, KIB, 'Maximum size of an image of a group, organization or user.'),
  'catalog.limits.rows': int(1_000, 1, 1_000_000, 'Maximum `rows` and `limit` of searches and lists.'),
  'catalog.limits.tags': int(1_000, 1, 1_000_000, 'Maximum tags per dataset.'),
  'catalog.limits.views': int(100, 1, 10_000, 'Maximum views per resource.'),
  'catalog.limits.streams': int(
    5_000,
    0,
    1_000_000,
    'Maximum open change streams per process: subscriptions, event streams of `/changes`, and waiting requests.',
  ),
  'catalog.limits.streams_per_caller': int(
    50,
    0,
    1_000_000,
    'Maximum open change streams per process for one user, or one IP address of anonymous visitors (for IPv6, its first 64 bits).',
  ),
  'catalog.limits.sockets': int(
    5_000,
    0,
    1_000_000,
    'Maximum open WebSockets per process, for subscriptions on `/graphql`. `catalog.limits.streams_per_caller` is the limit for one caller, and for one IP address before `connection_init`.',
  ),
  'catalog.limits.graphql_depth': int(20, 1, 1_000, 'Maximum depth of a query on `/graphql`.'),
  'catalog.limits.graphql_cost': int(
    50_000,
    1,
    1_000_000_000,
    'Maximum cost of a query on `/graphql`: fields, multiplied by the requested list sizes.',
  ),
  'catalog.limits.graphql_page': int(
    100,
    1,
    1_000,
    'Maximum page size of a connection on `/graphql`. `catalog.limits.rows` also limits it.',
  ),
  'catalog.limits.graphql_nodes': int(
    25_000,
    1,
    10_000_000,
    'Maximum number of objects that all lists of a query on `/graphql` could return.',
  ),
  'catalog.graphql.documents': textOrNull(
    'Trusted documents for `/graphql`: a JSON file of name → text, or a folder of such files and `.graphql` files. Clients can request them by name or hash ([graphql.md](graphql.md)).',
    { isPath: true },
  ),
  'catalog.graphql.trusted_only': bool(
    false,
    'Whether anonymous visitors may run only trusted documents on `/graphql`.',
  ),
  'catalog.graphql.plugins': textOrNull(
    'Path of a JavaScript module whose default export is an Apollo Server plugin, or a list of them. The plugins see every operation on `/graphql` ([graphql.md](graphql.md)).',
    { isPath: true },
  ),
  'catalog.graphql.max_age': int(
    0,
    0,
    86_400,
    '`max-age` (s) of responses to anonymous `GET` requests at `/graphql`. 0: responses are cacheable, and must be revalidated each time (`ETag`).',
  ),
  'catalog.pages.max_age': int(
    60,
    0,
    86_400,
    'Time (s) for which browsers and shared caches may use a page, feed or site map of visitors (`max-age`). For the same time after that, they may use it while they fetch a new one (`stale-while-revalidate`). 0: they must revalidate each time (`ETag`). Pages of users are never cached.',
  ),
  'catalog.pages.image_hosts': list(
    [],
    'Other sites from which pages load images of organizations, groups and descriptions: URLs without a path, such as `https://images.example`, or `*` for all. Pages show an initial or a link in place of images of other sites, so that these sites do not learn who reads the catalog.',
    {
      pattern: [
        /^(\*|https?:\/\/[A-Za-z0-9.[\]:_-]+)$/,
        'a list of `*` or URLs without a path, such as https://images.example',
      ],
    },
  ),
  'catalog.rate.anonymous': int(
    0,
    0,
    1_000_000_000,
    'Rate limit of anonymous visitors: cost per minute and IP address. 0: no limit. For the cost of requests see [graphql.md](graphql.md).',
  ),
  'catalog.rate.users': int(
    0,
    0,
    1_000_000_000,
    'Rate limit of each user: cost per minute. 0: no limit. System administrators have no limit.',
  ),
  'catalog.rate.saved': int(5, 1, 1_440, 'Burst of the rate limit: unused minutes that can be spent at once.'),
  'catalog.rate.exempt': list(
    [],
    'IP addresses and networks without a rate limit, in the format of `catalog.trusted_proxies`.',
  ),
  'catalog.rate.shared': bool(
    false,
    'Whether processes on one database share rate limits, synchronized each second. If false, each process counts separately.',
  ),
} as const satisfies Record<string, Setting<never> | Setting<any>>;
