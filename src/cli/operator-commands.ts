/** The commands of operators: accounts, jobs, webhooks, harvests, the trash, the change log, and the state of the installation. */
import type { Command } from './command.ts';

/** A command before it is loaded. */
export interface Entry {
  /** Usage, such as `user add NAME [--sysadmin]`. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

type Loaded = { readonly command: Command };
const users = async (name: keyof typeof import('./users.ts')): Promise<Loaded> => ({
  command: (await import('./users.ts'))[name],
});
const jobs = async (name: keyof typeof import('./jobs.ts')): Promise<Loaded> => ({
  command: (await import('./jobs.ts'))[name],
});
const webhooks = async (name: keyof typeof import('./webhooks.ts')): Promise<Loaded> => ({
  command: (await import('./webhooks.ts'))[name],
});

export const operatorCommands: Readonly<Record<string, Entry>> = {
  version: {
    usage: 'version [--json]',
    summary: 'Print the version of the catalog, and of Node. Short form: catalog --version',
    load: () => import('./version.ts'),
  },
  doctor: {
    usage: 'doctor [--full] [--json]',
    summary:
      'Check settings, versions, disk, databases, migrations, indexes, and that derived data equals its source. Print what to do. Changes nothing.',
    load: () => import('./doctor.ts'),
  },
  'user list': {
    usage: 'user list [--text TEXT] [--sysadmin] [--deleted] [--limit N] [--json]',
    summary: 'List users, sorted by display name.',
    load: () => users('list'),
  },
  'user show': { usage: 'user show NAME [--json]', summary: 'Print a user.', load: () => users('show') },
  'user change': {
    usage: 'user change NAME [--name NAME] [--full-name TEXT] [--email ADDRESS] [--password PASSWORD] [--json]',
    summary: 'Change the given values of a user.',
    load: () => users('change'),
  },
  'user delete': {
    usage: 'user delete NAME [--yes]',
    summary: 'Mark a user deleted and end all memberships. The name stays reserved.',
    load: () => users('remove'),
  },
  'user restore': {
    usage: 'user restore NAME',
    summary: 'Make a deleted user active again. Memberships are not restored.',
    load: () => users('restore'),
  },
  'user key': {
    usage: 'user key NAME [--yes]',
    summary: 'Replace the API key of a user and print the new one.',
    load: () => users('key'),
  },
  'sysadmin list': {
    usage: 'sysadmin list [--limit N] [--json]',
    summary: 'List system administrators.',
    load: () => users('sysadmins'),
  },
  'sysadmin grant': {
    usage: 'sysadmin grant NAME',
    summary: 'Make a user a system administrator.',
    load: () => users('grant'),
  },
  'sysadmin revoke': {
    usage: 'sysadmin revoke NAME',
    summary: 'End the rights of a system administrator. The account stays.',
    load: () => users('revoke'),
  },
  'jobs list': {
    usage: 'jobs list [--kind KIND] [--state STATE] [--dataset NAME] [--limit N] [--json]',
    summary: 'List background jobs, newest first.',
    load: () => jobs('list'),
  },
  'jobs retry': {
    usage: 'jobs retry ID...|--failed [--kind KIND]',
    summary: 'Queue failed or cancelled jobs again. A running server does them.',
    load: () => jobs('retry'),
  },
  'jobs drop': {
    usage: 'jobs drop ID...|--queued [--kind KIND] [--yes]',
    summary: 'Cancel queued or running jobs.',
    load: () => jobs('drop'),
  },
  'loads list': {
    usage: 'loads list [--state STATE] [--dataset NAME] [--limit N] [--json]',
    summary: 'List the jobs that load files of resources into tables, newest first.',
    load: () => jobs('loads'),
  },
  'loads retry': {
    usage: 'loads retry RESOURCE...|--failed',
    summary: 'Load the files of resources again, or retry all failed loads.',
    load: () => jobs('loadRetry'),
  },
  'loads drop': {
    usage: 'loads drop RESOURCE...|--queued [--yes]',
    summary: 'Cancel queued or running loads. The tables do not change.',
    load: () => jobs('loadDrop'),
  },
  'webhooks list': {
    usage: 'webhooks list [--user NAME] [--limit N] [--json]',
    summary: 'List webhooks with their state and the number of dead letters.',
    load: () => webhooks('list'),
  },
  'webhooks dead-letters': {
    usage: 'webhooks dead-letters WEBHOOK [--limit N] [--json]',
    summary: 'List the dead letters of a webhook, oldest first.',
    load: () => webhooks('deadLetters'),
  },
  'webhooks redeliver': {
    usage: 'webhooks redeliver WEBHOOK MESSAGE...|--all',
    summary: 'Queue up to 100 dead letters, or all, for delivery. A running server sends them.',
    load: () => webhooks('redeliver'),
  },
  'webhooks pause': {
    usage: 'webhooks pause WEBHOOK',
    summary: 'Stop the deliveries of a webhook.',
    load: () => webhooks('pause'),
  },
  'webhooks resume': {
    usage: 'webhooks resume WEBHOOK',
    summary: 'Continue the deliveries of a webhook, also of a disabled one.',
    load: () => webhooks('resume'),
  },
  'harvest sources': {
    usage: 'harvest sources [--limit N] [--json]',
    summary: 'List harvest sources with their last run.',
    load: async () => ({ command: (await import('./harvests.ts')).sources }),
  },
  'harvest runs': {
    usage: 'harvest runs SOURCE [--remarks] [--limit N] [--json]',
    summary: 'List the runs of a source, newest first, or the remarks of the newest run.',
    load: async () => ({ command: (await import('./harvests.ts')).runs }),
  },
  'trash list': {
    usage: 'trash list [--limit N] [--json]',
    summary: 'List deleted datasets, organizations and groups.',
    load: async () => ({ command: (await import('./trash.ts')).list }),
  },
  'trash purge': {
    usage: 'trash purge [--type TYPE] [NAME...] [--yes]',
    summary:
      'Remove deleted datasets, organizations and groups permanently: the named ones, those of a type, or all. Each is removed completely or not at all, so you can stop the command and run it again.',
    load: async () => ({ command: (await import('./trash.ts')).empty }),
  },
  'changes status': {
    usage: 'changes status [--json]',
    summary: 'Print the first and last position of the change log, and the time of its oldest change.',
    load: async () => ({ command: (await import('./changes.ts')).status }),
  },
  'changes prune': {
    usage: 'changes prune --days N [--dry-run] [--force] [--yes]',
    summary:
      'Remove changes older than N days from the change log. Readers with an older cursor get GONE (docs/changes.md). Statistics stay. Activities of that time are removed.',
    load: async () => ({ command: (await import('./changes.ts')).prune }),
  },
};
