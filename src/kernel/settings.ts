/** Every setting: name, type, default and meaning. A test compares docs/settings.md with this table. */
import { ACTION_SETTINGS } from './settings.action.ts';
import { DATABASE_SETTINGS } from './settings.database.ts';
import { DATASTORE_SETTINGS } from './settings.datastore.ts';
import { FILE_SETTINGS } from './settings.files.ts';
import { LIMIT_SETTINGS } from './settings.limits.ts';
import { LINK_SETTINGS } from './settings.links.ts';
import { MONITORING_SETTINGS } from './settings.monitoring.ts';
import { PREVIEW_SETTINGS } from './settings.preview.ts';
import {
  bool,
  bytes,
  int,
  list,
  oneOf,
  path,
  type Setting,
  schemas,
  text,
  textOrNull,
  url,
  urlOrNull,
  WEB,
} from './settings.types.ts';

const KIB = 2 ** 10;
const MAIL_ADDRESS: [RegExp, string] = [/^[^\s<>,;:"@]+@[^\s<>,;:"@]+$/, 'an e-mail address'];
const PAGE = { live: true, max: 100_000 };

/** The host of a URL; an empty text for an invalid URL. */
const hostOf = (url: unknown): string => (URL.canParse(String(url)) ? new URL(String(url)).hostname : 'localhost');

/** Kinds of work of a process. */
const ROLES = ['web', 'jobs', 'harvest', 'webhooks'] as const;

export const SETTINGS = {
  'catalog.site_url': url(
    (others) => `http://localhost:${others['catalog.port']}`,
    'Public URL of the site, without a trailing slash. If it has a path, such as `https://example.org/data`, the reverse proxy must remove that path from requests. Stored dataset documents contain this URL in links to files and tables. After a change (also of the port, if the URL is the default), run `catalog documents rebuild`.',
    { defaultText: 'http://localhost:<port>' },
  ),
  'catalog.site_id': text(
    'default',
    'Name of the site user, a system administrator that the catalog creates for itself (`get_site_user`). Also the value of `site_id` in searches. A new value creates another user.',
    { min: 1, max: 100 },
  ),
  'catalog.site_title': text('Catalog Gateway', 'Title on pages and in feeds.', { live: true }),
  'catalog.site_description': text('', 'Description of the site in one or two sentences.', { live: true }),
  'catalog.site_logo': text(
    '',
    'URL of the logo in the header of all pages, an `https` URL or a path of this site. Empty: the icon of Catalog Gateway.',
    { live: true },
  ),
  'catalog.site_about': text(
    '',
    'Text of the page `/about`, in Markdown. Empty: the title and description of the site.',
    PAGE,
  ),
  'catalog.site_intro_text': text(
    '',
    'Introduction on the home page, in Markdown. Empty: the description of the site.',
    PAGE,
  ),
  'catalog.site_custom_css': text('', 'CSS rules added to every page, after the style sheet.', PAGE),
  'catalog.theme': textOrNull(
    "Folder of the site's theme: style sheet, logo, messages, texts and templates ([how to](how-to/make-a-theme.md)). Its changes show without a restart. A relative path in the configuration file starts at the catalog's home, in the environment at the working directory. Default: no theme.",
    { isPath: true },
  ),
  'catalog.main_css': text(
    '',
    'Path of a style sheet on this site, which replaces the default style sheet. Empty: the default style sheet.',
    { live: true },
  ),
  'catalog.homepage_style': int(
    1,
    1,
    100,
    'Layout of the home page. 1: themes, then updated and new datasets, then lists of organizations, formats and tags. 2: datasets before themes. 3: the lists first, without themes. Other numbers: as 1.',
    { live: true },
  ),
  'catalog.locale_default': text(
    'en',
    'Language of the site and of its data: a code such as `en` or `pt_BR`. Pages are in this language if the address and the browser request no other one that is offered. The search uses it for stemming. After a change, run `catalog search rebuild`.',
    {
      pattern: [/^[a-z]{2,3}([_-][A-Za-z0-9]+)*$/, 'a language code such as en or pt_BR'],
    },
  ),
  'catalog.locales_offered': list(
    ['en', 'de', 'fr', 'ja'],
    'Languages of pages that visitors can select: some of `en`, `de`, `fr` and `ja`. Each is a prefix of addresses, such as `/de/dataset`. For tests of translations, `en-XA` shows English with an accent on each letter of a translated text.',
    { options: ['en', 'de', 'fr', 'ja', 'en-XA'] },
  ),
  'catalog.error_emails_to': textOrNull(
    'E-mail address for error reports. No effect yet: no error mails are sent. Shown by `status_show`.',
    {
      isIdle: true,
      pattern: [/^\S+@\S+$/, 'an e-mail address'],
    },
  ),
  'catalog.api_url': urlOrNull(
    "URL of the API, if it is on another domain than the site. No effect yet: the API is on the site's domain.",
    { isIdle: true },
  ),
  apikey_header_name: text(
    'X-CATALOG-API-Key',
    'Header for API keys, in addition to `Authorization` and `X-CKAN-API-Key`.',
    { pattern: [/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name of an HTTP header'] },
  ),
  'catalog.host': text(
    '0.0.0.0',
    'IP address to listen on. `0.0.0.0`: all interfaces, as required in a container or for a proxy on another machine. `127.0.0.1`: this machine only.',
    { min: 1 },
  ),
  'catalog.roles': list(
    ROLES,
    'Work that this process does. `web`: answers HTTP requests. `jobs`: loads tables, checks links, scores quality, keeps statistics, usage and Solr up to date. `harvest`: runs harvests. `webhooks`: sends webhooks. Each role needs at least one process. Several processes share the work of a role.',
    { options: ROLES },
  ),
  'catalog.port': int(5000, 0, 65_535, 'Port to listen on. 0 selects a free port.', { alias: 'PORT' }),
  'catalog.trusted_proxies': list(
    ['loopback'],
    'Reverse proxies whose `X-Forwarded-For` header is trusted: IP addresses, networks such as `10.0.0.0/8`, or the words `loopback` and `private`. Wrong passwords are counted by the client address in that header. A trusted proxy must set or append to the header. If it only forwards the header of the client, clients can choose their address.',
  ),
  'catalog.data_dir': path(
    'data',
    "Folder for the embedded database, the secret and uploads. A relative path in the configuration file starts at the folder of that file. A relative path in the environment starts at the working directory. The default is in the catalog's home.",
  ),
  ...FILE_SETTINGS,
  ...DATABASE_SETTINGS,
  'catalog.shutdown_timeout': int(
    25,
    0,
    3_600,
    'Seconds that requests in progress, such as uploads and downloads, may continue when the server stops. After that their connections are closed.',
  ),
  'catalog.secret': textOrNull(
    'Secret that encrypts API keys and signs sessions. Default: a random secret, created once and stored in the file `secret` in the data folder, readable by its owner only.',
    { secret: true, min: 16 },
  ),
  'catalog.activity_list_limit': int(31, 0, 100_000, 'Default number of activities in an activity list.'),
  'catalog.activity_streams_email_notifications': bool(
    true,
    'Whether `send_email_notifications` mails new dashboard activities to users who enabled e-mails.',
  ),
  'catalog.email_notifications_since': int(2, 1, 365, 'Maximum age (days) of activities in an e-mail.'),
  'catalog.search.solr_url': list(
    [],
    'URL of a Solr core or collection, such as `http://localhost:8983/solr/catalog`, with user name and password if required. For SolrCloud, list one URL per node: if a node fails, the next one is requested. Default: the search uses PostgreSQL. For the set-up see [search.md](search.md).',
    WEB,
  ),
  'search.facets.limit': int(
    50,
    -1,
    100_000,
    'Default of `facet.limit`: values per facet. A negative number means all values.',
  ),
  'search.timeout': int(5, 1, 3_600, 'Timeout (s) of a search, and of filtered or far lists of activities (`LIMIT`).'),
  'search.facets.default': list(
    ['organization', 'groups', 'tags', 'res_format', 'license_id', 'link_status'],
    'Facets of the search pages, in this order: fields such as those of the default, `vocab_NAME` or the key of an extra.',
    {},
  ),
  'catalog.extra_template_paths': list(
    [],
    "Modules that change the mapping of fields to linked data ([linked-data.md](linked-data.md)): paths of JavaScript files. Relative paths in the configuration file start at the catalog's home, in the environment at the working directory. The server does not start with a faulty module.",
    { isPath: true },
  ),
  'catalog.extra_resource_fields': list([], 'Additional resource fields that `resource_search` can search.'),
  ...PREVIEW_SETTINGS,
  ...DATASTORE_SETTINGS,
  ...ACTION_SETTINGS,
  'catalog.auth.anon_create_dataset': bool(false, 'Whether anonymous visitors may create datasets.'),
  'catalog.auth.create_unowned_dataset': bool(false, 'Whether datasets without an organization may be created.'),
  'catalog.auth.create_dataset_if_not_in_organization': bool(
    false,
    'Whether users without an organization may create datasets.',
  ),
  'catalog.auth.user_create_groups': bool(false, 'Whether users may create groups.'),
  'catalog.auth.user_create_organizations': bool(false, 'Whether users may create organizations.'),
  'catalog.auth.user_delete_groups': bool(true, 'Whether the admins of a group may delete it.'),
  'catalog.auth.user_delete_organizations': bool(true, 'Whether the admins of an organization may delete it.'),
  'catalog.auth.create_user_via_api': bool(false, 'Whether everyone may create users through the API.'),
  'catalog.auth.create_user_via_web': bool(
    true,
    'Whether everyone may register, on the web pages and with the mutation `register`.',
  ),
  'catalog.auth.confirm_email': bool(
    false,
    'Whether a registered account is pending until its user chooses a password by a link in a mail. Requires `smtp.server`.',
  ),
  'catalog.auth.login_attempts': int(
    10,
    1,
    10_000,
    'Wrong passwords for one account, or from one IP address, until it is locked out (`catalog.auth.lockout`). Password-reset requests and registrations count too.',
  ),
  'catalog.auth.lockout': int(
    900,
    1,
    86_400,
    'Seconds during which wrong passwords are counted, and after which the lockout ends.',
  ),
  'catalog.auth.reset_key_lifetime': int(
    86_400,
    60,
    2_592_000,
    'Lifetime (s) of a mailed key for choosing a new password.',
  ),
  'catalog.session.idle_timeout': int(86_400, 60, 31_536_000, 'Seconds without a request until a session ends.'),
  'catalog.session.lifetime': int(1_209_600, 60, 31_536_000, 'Maximum lifetime (s) of a session.'),
  'catalog.auth.roles_that_cascade_to_sub_groups': list(['admin'], 'Capacities that are inherited by child groups.'),
  'smtp.server': textOrNull(
    'Mail server: `host` or `host:port`. The default port is 25; on port 465 the connection starts with TLS. Default: no mail is sent.',
    {
      pattern: [
        /^(\[[0-9a-fA-F:.]+\]|[^\s:/[\]@]+)(:\d{1,5})?$/,
        '`host` or `host:port`, such as mail.example.org:587',
      ],
    },
  ),
  'smtp.starttls': bool(
    false,
    'Whether STARTTLS with a valid certificate is required. If false, TLS is used when the server offers it.',
  ),
  'smtp.user': textOrNull('User name for the mail server. Default: no authentication.'),
  'smtp.password': textOrNull('Password for the mail server.', { secret: true }),
  'smtp.mail_from': text((others) => `noreply@${hostOf(others['catalog.site_url'])}`, 'Sender address of mail.', {
    defaultText: 'noreply@<host of catalog.site_url>',
    pattern: MAIL_ADDRESS,
  }),
  'smtp.reply_to': textOrNull('Reply-To address of mail.', { pattern: MAIL_ADDRESS }),
  'catalog.jobs.workers': int(
    2,
    0,
    100,
    'Background jobs, such as loading a table, that one process runs at the same time. 0: other processes run them. With 2 or more, one is reserved for loading uploaded files.',
  ),
  'catalog.jobs.per_host': int(
    2,
    1,
    100,
    'Maximum number of jobs, in all processes together, that download linked files from the same host at the same time.',
  ),
  'catalog.jobs.keep_days': int(30, 1, 10_000, 'Days for which finished jobs are stored.'),
  'catalog.harvest.private_addresses': bool(
    false,
    'Whether scheduled harvests may read sources in private networks and on this machine. `catalog harvest` always may.',
  ),
  'catalog.resources.url_optional': bool(
    (others) => others['catalog.action_api.level'] === '2.11',
    'Whether `url` is optional for a resource with a table (`url_type` is `datastore`) or a new file, as in CKAN 2.9 and later.',
    { defaultText: 'false; true at level 2.11' },
  ),
  'catalog.import.bad_resources': oneOf(
    ['report', 'refuse'],
    'report',
    'Handling of datasets with invalid resources, such as a bad link, in imports and harvests. `report`: the dataset is written without these resources, and they are reported. `refuse`: the dataset is refused.',
  ),
  'catalog.webhooks.senders': int(
    10,
    0,
    1_000,
    'Webhooks that one process serves at the same time. 0: other processes serve them.',
  ),
  'catalog.webhooks.per_user': int(
    20,
    0,
    100_000,
    'Maximum webhooks per user. 0: system administrators only. System administrators have no limit.',
  ),
  'catalog.webhooks.allowed_hosts': list(
    [],
    'Hosts in private networks or on this machine that webhooks may call, also by http: `host` or `host:port`. Other private hosts are refused.',
  ),
  'catalog.webhooks.timeout': int(15, 1, 300, 'Timeout (s) for the response of a webhook receiver.'),
  'catalog.webhooks.attempts': int(
    11,
    1,
    100,
    'Delivery attempts until a message becomes a dead letter. With the default delays, 11 attempts take one day.',
  ),
  'catalog.webhooks.pause': int(
    5,
    0,
    3_600,
    'Delay (s) between the first and the second attempt. Each further delay is four times as long, up to six hours.',
  ),
  'catalog.webhooks.dead_letters': int(
    1_000,
    1,
    100_000,
    'Maximum dead letters stored per webhook. The oldest are deleted first.',
  ),
  'catalog.usage.enabled': bool(
    true,
    'Whether views, downloads, API reads and searches are counted ([usage.md](usage.md)). Numbers that exist stay visible.',
  ),
  'catalog.usage.keep_days': int(
    400,
    60,
    36_500,
    'Days for which uses are stored by day. Older days are merged into the first day of their month, and words of searches are deleted.',
  ),
  'catalog.loading.formats': list(
    ['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'parquet', 'zip'],
    'Formats of resources that are loaded into DataStore tables automatically (`zip`: archives with one file). An empty list disables loading.',
  ),
  'catalog.loading.links': bool(true, 'Whether linked files are loaded too.'),
  'catalog.loading.link_delay': int(
    30,
    0,
    86_400,
    'Delay (s) between a change of a linked resource and the download of its file. It merges several changes in a row into one download.',
  ),
  'catalog.loading.max_size': bytes(
    KIB * KIB * KIB,
    KIB,
    'Maximum size of a linked file, or of the unpacked file in an archive.',
  ),
  'catalog.loading.max_table_size': bytes(
    8 * KIB * KIB * KIB,
    KIB,
    'Maximum size of a table loaded from one file: its values as text, plus 40 bytes per row. A larger table is refused (`LIMIT`), and the old table stays.',
  ),
  'catalog.loading.max_expansion': int(
    100,
    1,
    1_000_000,
    'Maximum ratio of table size to file size. Tables up to 64 MiB are always allowed. The limit protects against decompression bombs (`xlsx`, `parquet`, `zip`).',
  ),
  'catalog.loading.max_memory': bytes(
    384 * KIB * KIB,
    64 * KIB * KIB,
    'Maximum memory of the process that reads one file. A file that needs more is refused (`LIMIT`). At most `catalog.jobs.workers` files are read at the same time.',
  ),
  'catalog.loading.timeout': int(600, 1, 86_400, 'Timeout (s) for the download of a linked file.'),
  'catalog.loading.allowed_hosts': list(
    [],
    'Hosts in private networks or on this machine that link checks and downloads of linked files may reach: `host` or `host:port`. Other private hosts are refused.',
  ),
  ...LINK_SETTINGS,
  ...LIMIT_SETTINGS,
  'catalog.dataset_types': schemas(
    'Dataset types: name of the type → JSON Schema of its additional fields, inline or as the path of a file. In the environment: JSON.',
  ),
  ...MONITORING_SETTINGS,
} as const satisfies Record<string, Setting<never> | Setting<any>>;

export type SettingName = keyof typeof SETTINGS;

/** The effective settings by name. */
export type Settings = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends Setting<infer T> ? T : never;
};

/** The environment variable of a setting: dots become two underscores, letters capitals. */
export const envName = (name: string): string => name.replaceAll('.', '__').toUpperCase();
