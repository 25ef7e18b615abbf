import { type Entry, operatorCommands } from './operator-commands.ts';

/** All commands by name. Loaded on demand, so that a quick command does not load the whole catalog. */
export const commands: Readonly<Record<string, Entry>> = {
  serve: {
    usage: 'serve [--workers N]',
    summary:
      'Start the server. With --workers, N processes share its port. The first one has all roles of catalog.roles, the others only answer requests. A process that ends is replaced.',
    load: () => import('./serve.ts'),
  },
  migrate: {
    usage: 'migrate',
    summary: 'Apply pending database migrations.',
    load: () => import('./migrate.ts'),
  },
  config: {
    usage: 'config [--json]',
    summary: 'Print the effective settings. Secrets are hidden.',
    load: () => import('./config.ts'),
  },
  'user add': {
    usage: 'user add NAME [--sysadmin] [--api-key KEY] [--email ADDRESS] [--password PASSWORD]',
    summary: 'Create a user and print the API key.',
    load: () => import('./user-add.ts'),
  },
  'user link': {
    usage: 'user link NAME',
    summary:
      'Print a link with which the user chooses a password once, for sites that send no mail. It is valid for catalog.auth.reset_key_lifetime.',
    load: () => import('./user-link.ts'),
  },
  import: {
    usage: 'import [--replace] FILE.jsonl|-',
    summary:
      'Create or update datasets, organizations and groups from a file with one JSON object per line. Unchanged objects are skipped, so you can resume by running the import again. A record whose name belongs to an object with another id is refused. With --replace it changes that object.',
    load: () => import('./import.ts'),
  },
  demo: {
    usage: 'demo',
    summary: 'Fill an empty catalog with the example data of the folder demo. From a checkout: npm run demo',
    load: () => import('./demo.ts'),
  },
  export: {
    usage:
      'export [--type datasets|organizations|groups] [--format rdf|ttl|jsonld|n3|nt] [--all] [--portable] [FILE|-]',
    summary:
      'Write organizations, groups and datasets in the format of the import. --format writes the datasets as linked data. --all includes private and draft datasets. --portable omits values that each catalog generates, so that you can compare two catalogs.',
    load: () => import('./export.ts'),
  },
  harvest: {
    usage:
      'harvest SOURCE|URL [--kind ckan|dcat] [--organization ORGANIZATION] [--user NAME] [--api-key KEY] [--per-second N] [--adopt] [--full] [--force]',
    summary:
      'Copy another catalog into this one. Later runs copy only changes. A new URL becomes a harvest source. --full reads everything again. --force accepts any number of deleted datasets (docs/harvest.md).',
    load: () => import('./harvest.ts'),
  },
  'documents check': {
    usage: 'documents check',
    summary: 'Compare all stored dataset documents with their database rows. Print the ids of documents that differ.',
    load: async () => ({ command: (await import('./documents.ts')).check }),
  },
  'documents rebuild': {
    usage: 'documents rebuild',
    summary: 'Rebuild all dataset documents from their database rows. Versions do not change.',
    load: async () => ({ command: (await import('./documents.ts')).rebuild }),
  },
  'files check': {
    usage: 'files check',
    summary:
      'Compare the file storage with the database. Print missing files, and unreferenced files older than a day.',
    load: async () => ({ command: (await import('./files.ts')).check }),
  },
  'files sweep': {
    usage: 'files sweep',
    summary: 'Delete unreferenced files older than a day. Print them, and missing files.',
    load: async () => ({ command: (await import('./files.ts')).sweep }),
  },
  'datastore check': {
    usage: 'datastore check',
    summary:
      'Compare the catalog database with the DataStore. Print missing tables, tables that were not copied from their source catalog, and tables without a resource.',
    load: async () => ({ command: (await import('./datastore.ts')).check }),
  },
  'datastore sweep': {
    usage: 'datastore sweep',
    summary: 'Drop tables without a resource. Print them, missing tables, and tables that were not copied.',
    load: async () => ({ command: (await import('./datastore.ts')).sweep }),
  },
  'datastore indexes': {
    usage: 'datastore indexes [--json]',
    summary:
      'List the indexes that the server made for tables, with reason, time, size and use, and those that it is about to make or drop.',
    load: async () => ({ command: (await import('./datastore.ts')).indexes }),
  },
  'search check': {
    usage: 'search check',
    summary: 'Compare the search index with the documents. Print the ids of datasets that differ.',
    load: async () => ({ command: (await import('./search.ts')).check }),
  },
  'search rebuild': {
    usage: 'search rebuild',
    summary: 'Rebuild the search index. Required after a change of catalog.locale_default.',
    load: async () => ({ command: (await import('./search.ts')).rebuild }),
  },
  'links check': {
    usage: 'links check [--dataset NAME]',
    summary: 'Make all links of resources due, or those of one dataset. The running servers check them.',
    load: async () => ({ command: (await import('./links.ts')).check }),
  },
  'links status': {
    usage: 'links status',
    summary: 'Print the number of links by verdict, and how many are due.',
    load: async () => ({ command: (await import('./links.ts')).status }),
  },
  'search status': {
    usage: 'search status',
    summary: 'Print the search engine and the size of its index.',
    load: async () => ({ command: (await import('./search.ts')).status }),
  },
  'statistics check': {
    usage: 'statistics check',
    summary:
      'Compare the statistics with the datasets, users and changes that they count. Print the counts that differ.',
    load: async () => ({ command: (await import('./statistics.ts')).check }),
  },
  'statistics rebuild': {
    usage: 'statistics rebuild',
    summary: 'Count all datasets, users and changes again. Requests for statistics wait until the end.',
    load: async () => ({ command: (await import('./statistics.ts')).rebuild }),
  },
  'usage import': {
    usage: 'usage import FILE.csv|-',
    summary:
      "Read views and downloads from an export of CKAN's table tracking_summary (docs/usage.md). Counts that exist are only raised, so you can repeat it.",
    load: () => import('./usage-import.ts'),
  },
  'quality score': {
    usage: 'quality score',
    summary: 'Score the metadata of all datasets again. Print the number of datasets. Servers need no restart.',
    load: () => import('./quality-score.ts'),
  },
  'theme check': {
    usage: 'theme check [FOLDER]',
    summary:
      'Print the faults of the theme (catalog.theme), or of the theme in a folder (docs/how-to/make-a-theme.md).',
    load: () => import('./theme-check.ts'),
  },
  try: {
    usage: 'try ACTION [NAME=TEXT | NAME:=JSON]...',
    summary:
      'Call an action in this process as a system administrator without an account. Print its operation, statements, time and response. From a checkout: npm run try -- tag_list query=air',
    load: () => import('./try.ts'),
  },
  backup: {
    usage: 'backup FOLDER|s3://BUCKET/PREFIX|- [--programs FOLDER]',
    summary:
      'Write both databases, files and the site secret at one point in time into one archive, while servers run (docs/back-up.md). --programs: PostgreSQL programs of an older version, for an embedded database of that version.',
    load: () => import('./backup.ts'),
  },
  restore: {
    usage: 'restore FILE|s3://BUCKET/KEY',
    summary: 'Check a backup, then restore it into empty databases and an empty data folder (docs/back-up.md).',
    load: () => import('./restore.ts'),
  },
  reset: {
    usage: 'reset --yes',
    summary: 'Delete all data in both databases, even while a server runs.',
    load: () => import('./reset.ts'),
  },
  ...operatorCommands,
};
