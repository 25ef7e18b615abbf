import type { Command } from './command.ts';

/** A command before it is loaded. */
export interface Entry {
  /** How it is called, such as `user add NAME [--sysadmin]`. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** Every command by the words that call it. Loaded when called: a quick command does not wait for the whole catalog. */
export const commands: Readonly<Record<string, Entry>> = {
  serve: { usage: 'serve', summary: 'Serve the catalog until told to stop.', load: () => import('./serve.ts') },
  migrate: {
    usage: 'migrate',
    summary: 'Bring the database to the newest schema.',
    load: () => import('./migrate.ts'),
  },
  config: {
    usage: 'config [--json]',
    summary: 'Print the effective settings; secrets are hidden.',
    load: () => import('./config.ts'),
  },
  'user add': {
    usage: 'user add NAME [--sysadmin] [--api-key KEY] [--email ADDRESS] [--password PASSWORD]',
    summary: 'Create a user, and print the API key.',
    load: () => import('./user-add.ts'),
  },
  'user link': {
    usage: 'user link NAME',
    summary: 'Print a one-time link where that user chooses a password, for portals that send no mail.',
    load: () => import('./user-link.ts'),
  },
  import: {
    usage: 'import [--replace] FILE.jsonl|-',
    summary:
      'Create or update datasets, organizations and groups from a file of one JSON object a line. What is there already and equal stays untouched: run it again to resume. A record whose name belongs to an object of another id is refused; with --replace it changes that object.',
    load: () => import('./import.ts'),
  },
  export: {
    usage:
      'export [--type datasets|organizations|groups] [--format rdf|ttl|jsonld|n3|nt] [--all] [--portable] [FILE|-]',
    summary:
      'Write organizations, groups and datasets as import reads them, or with --format the datasets as linked data; --all with private and draft datasets, --portable without what each catalog gives by itself, to compare two of them.',
    load: () => import('./export.ts'),
  },
  harvest: {
    usage:
      'harvest SOURCE|ADDRESS [--kind ckan|dcat] [--organization ORGANIZATION] [--user NAME] [--api-key KEY] [--per-second N] [--adopt] [--full] [--force]',
    summary:
      'Copy another catalog into this one, or what has changed there since the last run; an address that is new becomes a source. --full reads everything again, --force follows the source however much is gone there (docs/harvest.md).',
    load: () => import('./harvest.ts'),
  },
  'documents check': {
    usage: 'documents check',
    summary: 'Prove that every stored dataset document is what its rows say; print the ids of those that are not.',
    load: () => import('./documents-check.ts'),
  },
  'documents rebuild': {
    usage: 'documents rebuild',
    summary: 'Write every dataset document again from its rows; versions stay.',
    load: () => import('./documents-rebuild.ts'),
  },
  'files check': {
    usage: 'files check',
    summary:
      'Compare the store of files with the rows: print files that are missing, and files older than a day that no row names.',
    load: () => import('./files-check.ts'),
  },
  'files sweep': {
    usage: 'files sweep',
    summary: 'Delete the files older than a day that no row names; print them, and those that are missing.',
    load: () => import('./files-sweep.ts'),
  },
  'datastore check': {
    usage: 'datastore check',
    summary: 'Compare the two databases: print resources whose table is missing, and tables that no resource has.',
    load: () => import('./datastore-check.ts'),
  },
  'datastore sweep': {
    usage: 'datastore sweep',
    summary: 'Drop the tables that no resource has; print them, and resources whose table is missing.',
    load: () => import('./datastore-sweep.ts'),
  },
  'search check': {
    usage: 'search check',
    summary: 'Prove that the search index is what the documents say; print the ids of datasets where it is not.',
    load: () => import('./search-check.ts'),
  },
  'search rebuild': {
    usage: 'search rebuild',
    summary: 'Index every dataset again from its document; needed after catalog.locale_default changed.',
    load: () => import('./search-rebuild.ts'),
  },
  'search status': {
    usage: 'search status',
    summary: 'Print which engine searches and how much it holds.',
    load: () => import('./search-status.ts'),
  },
  try: {
    usage: 'try ACTION [NAME=TEXT | NAME:=JSON]...',
    summary:
      'Call an action in this process as a system administrator without a user, and print its operation, statements, time and answer. From a checkout: npm run try -- tag_list query=air',
    load: () => import('./try.ts'),
  },
  reset: {
    usage: 'reset --yes',
    summary: 'Empty both databases, also while a server runs.',
    load: () => import('./reset.ts'),
  },
};
