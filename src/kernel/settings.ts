/** Every setting: name, type, default and meaning. docs/settings.md is compared with this table by a test. */
import { ACTION_SETTINGS } from './settings.action.ts';
import { DATASTORE_SETTINGS } from './settings.datastore.ts';
import { LIMIT_SETTINGS } from './settings.limits.ts';
import {
  bool,
  bytes,
  int,
  list,
  oneOf,
  POSTGRES,
  path,
  type Setting,
  schemas,
  text,
  textOrNull,
  url,
  urlOrNull,
} from './settingTypes.ts';

const KIB = 2 ** 10;
const MAIL_ADDRESS: [RegExp, string] = [/^[^\s<>,;:"@]+@[^\s<>,;:"@]+$/, 'an e-mail address'];
const PAGE = { live: true, max: 100_000 };

/** The host of an address; one that was refused is as good as none. */
const hostOf = (url: unknown): string => (URL.canParse(String(url)) ? new URL(String(url)).hostname : 'localhost');

export const SETTINGS = {
  'catalog.site_url': url(
    (others) => `http://localhost:${others['catalog.port']}`,
    'Address of the site as visitors see it, without a slash at the end. Where it has a path, such as `https://example.org/data`, the proxy in front must remove that path from requests. Stored documents of datasets hold it, in the addresses of uploaded files and tables: after a change, of the port too where it is the default, run `catalog documents rebuild`.',
    { defaultText: 'http://localhost:<port>' },
  ),
  'catalog.site_id': text('default', 'Short name of this installation among others.', { min: 1, max: 100 }),
  'catalog.site_title': text('Catalog Gateway', 'Title on pages and in feeds.', { live: true }),
  'catalog.site_description': text('', 'One or two sentences about the site.', { live: true }),
  'catalog.site_logo': text(
    '',
    'Address of the logo. No effect yet: no page shows it; the graph gives it as `Site.logo`.',
    { live: true, isIdle: true },
  ),
  'catalog.site_about': text(
    '',
    'The page about the site, in Markdown. No effect yet: no page shows it; the graph gives it as `Site.about`.',
    { ...PAGE, isIdle: true },
  ),
  'catalog.site_intro_text': text(
    '',
    'Introduction on the home page, in Markdown. No effect yet: no page shows it; the graph gives it as `Site.introText`.',
    { ...PAGE, isIdle: true },
  ),
  'catalog.site_custom_css': text(
    '',
    "Style rules that are added to every page. No effect yet: pages have the site's own style; the graph gives it as `Site.customCss`.",
    { ...PAGE, isIdle: true },
  ),
  'catalog.main_css': text(
    '',
    "Address of the style sheet; the site's own when empty. No effect yet: pages have the site's own style; the graph gives it as `Site.mainCss`.",
    { live: true, isIdle: true },
  ),
  'catalog.homepage_style': int(
    1,
    1,
    100,
    'Which of its layouts the home page has. No effect yet: the home page has one layout; the graph gives it as `Site.homepageStyle`.',
    { live: true, isIdle: true },
  ),
  'catalog.locale_default': text(
    'en',
    'Language of the site, as a code such as `en` or `pt_BR`. The search knows the stems of its words: after a change run `catalog search rebuild`.',
    {
      pattern: [/^[a-z]{2,3}([_-][A-Za-z0-9]+)*$/, 'a language code such as en or pt_BR'],
    },
  ),
  'catalog.error_emails_to': textOrNull(
    'Address that receives error mails; shown by `status_show`. No effect yet beside that: no error mails are sent.',
    {
      isIdle: true,
      pattern: [/^\S+@\S+$/, 'an e-mail address'],
    },
  ),
  'catalog.api_url': urlOrNull(
    "Address of the API where it is not on the site's own domain. No effect yet: the API is on the site's own domain.",
    { isIdle: true },
  ),
  apikey_header_name: text(
    'X-CATALOG-API-Key',
    'Header that carries an API key, beside `Authorization` and `X-CKAN-API-Key`.',
    {
      pattern: [/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name of an HTTP header'],
    },
  ),
  'catalog.host': text(
    '0.0.0.0',
    'Network address to listen on. `0.0.0.0` is every interface, as portals behind a proxy or in a container need; `127.0.0.1` is this machine only.',
    { min: 1 },
  ),
  'catalog.port': int(5000, 0, 65_535, 'Port to listen on; 0 takes any free one.', { alias: 'PORT' }),
  'catalog.trusted_proxies': list(
    ['loopback'],
    'Proxies in front of the site, whose `X-Forwarded-For` is believed: addresses, networks such as `10.0.0.0/8`, or the words `loopback` and `private`. Wrong passwords are counted by the address found so. A proxy there must set or append to that header: behind one that passes on what clients send, clients choose their address.',
  ),
  'catalog.data_dir': path(
    'data',
    "Folder for the embedded database, the secret and uploads. Relative paths start at the configuration file's folder where the file gives them, at the working directory where the environment does; the default is in the catalog's home.",
  ),
  'catalog.files.bucket': textOrNull(
    'Bucket of an S3-compatible store in which uploaded files are kept. Without it they are kept in `files` in the data folder.',
    { pattern: [/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/, 'the name of a bucket'] },
  ),
  'catalog.files.prefix': text(
    '',
    'What the names of the objects begin with, such as `catalog/`. No other catalog may use the same bucket with the same prefix.',
    { pattern: [/^[A-Za-z0-9._/-]*$/, 'letters, digits, `.`, `_`, `-` and `/`'] },
  ),
  'catalog.files.endpoint': urlOrNull("Address of the store; without it AWS's own for the region."),
  'catalog.files.region': text('us-east-1', 'Region of the bucket. Other stores than AWS mostly do not mind.', {
    min: 1,
  }),
  'catalog.files.key_id': textOrNull(
    'Id of the access key. Without it what the surroundings offer is used: the variables of AWS, or the role of the machine.',
  ),
  'catalog.files.secret': textOrNull('Secret of the access key.', { secret: true }),
  'catalog.files.path_style': bool(
    false,
    'Whether the bucket is part of the path (`<endpoint>/<bucket>`) instead of the host name, as many stores of one machine want it.',
  ),
  'catalog.files.direct': bool(
    false,
    'Whether `beginUpload` gives an address of the store itself, signed for one file, instead of our own. Clients must reach the store under its `catalog.files.endpoint`, and pages of other sites only do where the bucket allows it (CORS). A file whose SHA-256 is announced, or of more than 5 GiB, comes by us all the same.',
  ),
  'catalog.database_url': urlOrNull(
    'PostgreSQL 14 or newer for the catalog. Without it the embedded PostgreSQL is used.',
    { ...POSTGRES, alias: 'DATABASE_URL' },
  ),
  'catalog.database_pool': int(10, 1, 1_000, 'Connections to the catalog database per process, at most.'),
  'catalog.database_connect_timeout': int(
    10,
    1,
    3_600,
    'Seconds that a request waits for a connection to PostgreSQL, of the catalog or of the DataStore: a new one, or a free one of the pool. Then it is answered `UNAVAILABLE` (503).',
  ),
  'catalog.database_response_timeout': int(
    5,
    1,
    3_600,
    'Seconds without an answer of PostgreSQL after which the server is checked on a new connection, for as many seconds at most. If it answers there, the statement may go on; if not, the server hangs: the connection is closed and the request is answered `UNAVAILABLE` (503).',
  ),
  'catalog.database_statement_timeout': int(
    60,
    1,
    86_400,
    'Seconds that one statement of a request may take in the catalog database, outside transactions. Commands such as `documents rebuild` have no such limit.',
  ),
  'catalog.database_transaction_timeout': int(
    60,
    1,
    86_400,
    'Seconds that one transaction in the catalog database may take, and each statement in it. A transaction that takes longer is undone.',
  ),
  'catalog.shutdown_timeout': int(
    25,
    0,
    3_600,
    'Seconds that requests under way, such as uploads and downloads, have to end when the server is stopped; then their connections are closed.',
  ),
  'catalog.secret': textOrNull(
    'Secret that seals API keys and signs sessions. Without it a random one is made once and kept in `secret` in the data folder, readable by its owner only.',
    { secret: true, min: 16 },
  ),
  'catalog.activity_list_limit': int(
    31,
    0,
    100_000,
    'Activities in one answer of an activity list where the caller gives no limit.',
  ),
  'catalog.activity_streams_email_notifications': bool(
    true,
    'Whether `send_email_notifications` sends users who want e-mails what is new on their dashboards.',
  ),
  'catalog.email_notifications_since': int(
    2,
    1,
    365,
    'Days: what happened longer ago is in no e-mail about activities, however long none was sent.',
  ),
  'catalog.search.solr_url': urlOrNull(
    'Address of a Solr core or collection, such as `http://localhost:8983/solr/catalog`, with name and password where it wants them. Without it the search is on PostgreSQL. Set up and filled as [search.md](search.md) says.',
  ),
  'search.facets.limit': int(
    50,
    -1,
    100_000,
    'Values per facet where the caller gives no `facet.limit`; negative is all of them.',
  ),
  'search.timeout': int(5, 1, 3_600, 'Seconds that a search may take; one that takes longer is refused (`LIMIT`).'),
  'search.facets.default': list(
    ['organization', 'groups', 'tags', 'res_format', 'license_id'],
    'Facets of the search page. No effect yet: there is no search page.',
    { isIdle: true },
  ),
  'catalog.extra_template_paths': list(
    [],
    "Modules that change how fields become linked data: paths of JavaScript files, relative ones in the file from the catalog's home, in the environment from the working directory ([linked-data.md](linked-data.md)). A faulty one keeps the server from starting.",
    { isPath: true },
  ),
  'catalog.extra_resource_fields': list([], 'Extra fields of resources that `resource_search` may search.'),
  'catalog.plugins': list(
    ['datastore', 'text_view', 'image_view', 'recline_view', 'webpage_view'],
    'Plugins that are switched on; `status_show` lists them as `extensions`. It lists what is switched on, also before its actions exist. A kind of view is switched on by its name.',
  ),
  'catalog.views.default_views': list(
    ['image_view', 'text_view', 'recline_view'],
    'Kinds of views that resources get by themselves, where the kind is switched on and can show them.',
  ),
  ...DATASTORE_SETTINGS,
  ...ACTION_SETTINGS,
  'catalog.auth.anon_create_dataset': bool(false, 'Whether visitors who are not signed in may create datasets.'),
  'catalog.auth.create_unowned_dataset': bool(false, 'Whether datasets without an organization may be created.'),
  'catalog.auth.create_dataset_if_not_in_organization': bool(
    false,
    'Whether users who are in no organization may create datasets.',
  ),
  'catalog.auth.user_create_groups': bool(false, 'Whether users may create groups.'),
  'catalog.auth.user_create_organizations': bool(false, 'Whether users may create organizations.'),
  'catalog.auth.user_delete_groups': bool(true, 'Whether the admins of a group may delete it.'),
  'catalog.auth.user_delete_organizations': bool(true, 'Whether the admins of an organization may delete it.'),
  'catalog.auth.create_user_via_api': bool(false, 'Whether anybody may create a user through the API.'),
  'catalog.auth.create_user_via_web': bool(
    true,
    'Whether anybody may register: on the web pages, and by the mutation `register`.',
  ),
  'catalog.auth.login_attempts': int(
    10,
    1,
    10_000,
    'Wrong passwords for one account, and from one address, before both have to wait (`catalog.auth.lockout`). Requests to reset a password and registrations are counted too.',
  ),
  'catalog.auth.lockout': int(
    900,
    1,
    86_400,
    'Seconds over which wrong passwords are counted, and after which trying again is allowed.',
  ),
  'catalog.auth.reset_key_lifetime': int(
    86_400,
    60,
    2_592_000,
    'Seconds that a mailed key to choose a new password with is valid.',
  ),
  'catalog.session.idle_timeout': int(86_400, 60, 31_536_000, 'Seconds without a request after which a session ends.'),
  'catalog.session.lifetime': int(1_209_600, 60, 31_536_000, 'Seconds after which a session ends in any case.'),
  'catalog.auth.roles_that_cascade_to_sub_groups': list(['admin'], 'Capacities that also count in the groups below.'),
  'smtp.server': textOrNull(
    'Mail server: `host` or `host:port` (25; at 465 TLS begins with the connection). Without it no mail is sent.',
    {
      pattern: [
        /^(\[[0-9a-fA-F:.]+\]|[^\s:/[\]@]+)(:\d{1,5})?$/,
        'a host name, or one with a port such as mail.example.org:587',
      ],
    },
  ),
  'smtp.starttls': bool(
    false,
    'Whether mail goes over TLS only (STARTTLS), with a valid certificate. When false, TLS is used if the server offers it.',
  ),
  'smtp.user': textOrNull('Name to sign in to the mail server with; without it nobody signs in.'),
  'smtp.password': textOrNull('Password for the mail server.', { secret: true }),
  'smtp.mail_from': text((others) => `noreply@${hostOf(others['catalog.site_url'])}`, 'Address that mail comes from.', {
    defaultText: 'noreply@<host of catalog.site_url>',
    pattern: MAIL_ADDRESS,
  }),
  'smtp.reply_to': textOrNull('Address that answers to mail go to.', { pattern: MAIL_ADDRESS }),
  'catalog.jobs.workers': int(
    2,
    0,
    100,
    'Jobs that one process works on at a time, such as loading a table; 0 leaves them to other processes. One of several is kept free of those that take long.',
  ),
  'catalog.jobs.keep_days': int(30, 1, 10_000, 'Days that jobs can be looked at after their end.'),
  'catalog.harvest.private_addresses': bool(
    false,
    'Whether harvests that go on by themselves may read sources in private networks and on this machine. `catalog harvest` may in any case.',
  ),
  'catalog.resources.url_optional': bool(
    (others) => others['catalog.action_api.level'] === '2.11',
    'Whether a resource that has a table (`url_type` is `datastore`) or a new file needs no `url`, as in CKAN 2.9 and later.',
    { defaultText: 'false; true at level 2.11' },
  ),
  'catalog.import.bad_resources': oneOf(
    ['report', 'refuse'],
    'report',
    'What an import or a harvest does with a dataset of which single resources are refused, such as for a bad link: `report` writes the rest and names these, `refuse` refuses the dataset.',
  ),
  'catalog.webhooks.senders': int(
    10,
    0,
    1_000,
    'Webhooks that one process serves at a time; 0 leaves them to other processes.',
  ),
  'catalog.webhooks.per_user': int(
    20,
    0,
    100_000,
    'Webhooks that a user may have; 0 leaves them to system administrators, who may have any number.',
  ),
  'catalog.webhooks.allowed_hosts': list(
    [],
    'Hosts that webhooks may lead to although they are on this machine or its network, as `host` or `host:port`, also by http. All others there are refused.',
  ),
  'catalog.webhooks.timeout': int(15, 1, 300, 'Seconds that a receiver of webhooks has for its answer.'),
  'catalog.webhooks.attempts': int(
    11,
    1,
    100,
    'Tries until a message of a webhook goes to the dead letters. With the usual pauses 11 tries last for a day.',
  ),
  'catalog.webhooks.pause': int(
    5,
    0,
    3_600,
    'Seconds between the first and the second try. Each further pause is four times as long, up to six hours.',
  ),
  'catalog.webhooks.dead_letters': int(
    1_000,
    1,
    100_000,
    'Dead letters that are kept of one webhook; the oldest go first.',
  ),
  'catalog.loading.formats': list(
    ['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'parquet', 'zip'],
    'Formats of resources whose data become tables of the DataStore by themselves (`zip`: archives of one file); none switches loading off.',
  ),
  'catalog.loading.links': bool(true, 'Whether links are loaded too, not only uploaded files.'),
  'catalog.loading.link_delay': int(
    30,
    0,
    86_400,
    'Seconds from a change of a linked resource until its file is fetched: people often change a dataset several times in a row.',
  ),
  'catalog.loading.max_size': bytes(
    KIB * KIB * KIB,
    KIB,
    'Size of a linked file, or of the file in an archive, that is loaded, unpacked, at most.',
  ),
  'catalog.loading.max_table_size': bytes(
    8 * KIB * KIB * KIB,
    KIB,
    'Size of a table that one file may become: its values as text, and 40 bytes for each row. A larger one is refused (`LIMIT`), and the old table stays.',
  ),
  'catalog.loading.max_expansion': int(
    100,
    1,
    1_000_000,
    'How many times as large as its file a table may be; 64 MiB are allowed for a file of any size. Small files can stand for endless tables (`xlsx`, `parquet`, `zip`).',
  ),
  'catalog.loading.max_memory': bytes(
    384 * KIB * KIB,
    64 * KIB * KIB,
    'Memory of the process that reads one file. A file that needs more is refused (`LIMIT`), and the server goes on. At most `catalog.jobs.workers` files are read at a time.',
  ),
  'catalog.loading.timeout': int(600, 1, 86_400, 'Seconds that fetching a linked file may take.'),
  'catalog.loading.allowed_hosts': list(
    [],
    'Hosts that links may lead to although they are on this machine or its network, as `host` or `host:port`. All others there are refused.',
  ),
  ...LIMIT_SETTINGS,
  'catalog.dataset_types': schemas(
    'Dataset types: name of the type → JSON Schema of the fields beyond the core, in place or as the path of a file. JSON in the environment.',
  ),
  'catalog.log_level': oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'Least important messages that are logged.',
  ),
  'catalog.log_sql': bool(false, 'Whether every SQL statement is logged.', { alias: 'LOG_SQL' }),
} as const satisfies Record<string, Setting<never> | Setting<any>>;

export type SettingName = keyof typeof SETTINGS;

/** The effective settings, under their own names. */
export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

/** The environment variable of a setting: dots become two underscores, letters capitals. */
export const envName = (name: string): string => name.replaceAll('.', '__').toUpperCase();
