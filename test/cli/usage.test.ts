/** Help texts and messages on wrong usage. None of these commands opens a catalog. */
import { expect, it } from '@jest/globals';
import { commands } from '../../src/cli/commands.ts';
import { SHAPES } from '../../src/cli/options.ts';
import { version } from '../../src/kernel/version.ts';
import { runCommand } from '../helpers/command.ts';

/** An unreachable database: a command that opened the catalog would fail with 1. */
const run = (...words: string[]) => runCommand({ 'catalog.database_url': 'postgresql://127.0.0.1:1/none' }, ...words);

it.each([
  [['usr', 'list'], 'Unknown command "usr list". Did you mean "catalog user list"?'],
  [['user', 'lst'], 'Unknown command "user lst". Did you mean "catalog user list"?'],
  [['bananas'], 'Unknown command "bananas". Help: catalog help'],
  [['user'], 'catalog user: a word is missing.'],
  [['user', 'list', '--jsn'], 'catalog user list: unknown option --jsn. Did you mean --json?'],
  [['user', 'list', '-j'], 'catalog user list: unknown option -j.'],
  [['serve', '--port', '80'], 'catalog serve: unknown option --port.'],
  [['serve', 'now'], 'catalog serve: unexpected "now".'],
  [['user', 'list', '--text'], 'catalog user list: --text requires a value (TEXT).'],
  [['user', 'list', '--text', '--json'], 'catalog user list: --text requires a value (TEXT).'],
  [['user', 'list', '--json=yes'], 'catalog user list: --json takes no value (got "yes").'],
  [['user', 'list', '--limit', '0'], '--limit must be a whole number from 1 to 10000 (got "0").'],
  [['user', 'list', '--limit', '1e3'], '--limit must be a whole number from 1 to 10000 (got "1e3").'],
  [['user', 'show'], 'catalog user show: NAME is missing.'],
  [['backup'], 'catalog backup: FOLDER|s3://BUCKET/PREFIX|- is missing.'],
  [['webhooks', 'redeliver', '--all'], 'catalog webhooks redeliver: WEBHOOK is missing.'],
  [['--verison'], 'Unknown option --verison. Did you mean "catalog --version"? Help: catalog help'],
  [['--quiet'], 'Unknown option --quiet. Help: catalog help'],
  [['user', 'show', 'a', 'b'], 'catalog user show: unexpected "b".'],
  [['user', 'change', 'a'], 'catalog user change: give at least one value to change.'],
  [['user', 'delete', 'jo'], 'This deletes the user jo and ends all memberships. To confirm, add --yes.'],
  [
    ['jobs', 'list', '--state', 'lost'],
    '--state must be one of queued, running, done, failed, cancelled (got "lost").',
  ],
  [['jobs', 'retry'], 'Give ids, or --failed for all. Not both.'],
  [['jobs', 'retry', 'x', '--failed'], 'Give ids, or --failed for all. Not both.'],
  [['jobs', 'drop', 'x'], 'This cancels jobs. Their work is not done. To confirm, add --yes.'],
  [['webhooks', 'redeliver', 'x'], 'Give ids of messages, or --all for all dead letters. Not both.'],
  [['trash', 'purge', 'rivers'], 'Names require --type: datasets, organizations, groups.'],
  [['trash', 'purge', '--type', 'users'], '--type must be one of datasets, organizations, groups (got "users").'],
  [['trash', 'purge'], 'This removes all deleted objects permanently, with their history. To confirm, add --yes.'],
  [['changes', 'prune'], 'catalog changes prune: --days N is required.'],
  [['changes', 'prune', '--days', '0'], '--days must be a whole number from 1 to 36500 (got "0").'],
  [
    ['changes', 'prune', '--days', '30'],
    'This removes changes older than 30 days from the log. To confirm, add --yes.',
  ],
  [['reset'], 'This deletes all data in both databases. To confirm, run: catalog reset --yes'],
])('refuses catalog %j', async (words, message) => {
  const { code, out, err } = await run(...words);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

it('prints the version', async () => {
  const plain = { code: 0, out: `catalog ${version} (Node ${process.versions.node})`, err: '' };
  expect(await run('--version')).toEqual(plain);
  expect(await run('version')).toEqual(plain);
  expect(JSON.parse((await run('--version', '--json')).out)).toEqual({
    catalog: version,
    node: process.versions.node,
  });
});

it.each([
  ['changes', 'prune', '--help'],
  ['help', 'changes', 'prune'],
  ['changes', 'prune', '-h'],
])('prints the help of a command: %s %s %s', async (...words) => {
  const { code, out } = await run(...words);
  expect(code).toBe(0);
  expect(out.split('\n')[0]).toBe('Usage: catalog changes prune --days N [--dry-run] [--force] [--yes]');
  expect(out).toContain('  --dry-run  Only print the number of changes.');
});

it('prints the help of a group, and of all commands', async () => {
  const group = await run('help', 'trash');
  expect([group.code, group.out.match(/^ {2}catalog /gm)?.length]).toEqual([0, 2]);
  const all = await run('help');
  expect(all.out.match(/^ {2}catalog /gm)).toHaveLength(Object.keys(commands).length);
  expect(all.out).toContain('Exit codes: 0 success, 1 failure or a problem found, 2 wrong usage.');
  expect((await run('help', 'bananas')).err).toContain('Unknown command "bananas"');
});

it('names exactly the options of each command in its usage', () => {
  expect(Object.keys(SHAPES).sort()).toEqual(Object.keys(commands).sort());
  for (const [name, { options }] of Object.entries(SHAPES)) {
    const usage = commands[name]?.usage ?? '';
    expect([name, usage.startsWith(name)]).toEqual([name, true]);
    const named = [...new Set([...usage.matchAll(/--([a-z-]+)/g)].map(([, option]) => option))];
    expect([name, named.sort()]).toEqual([name, Object.keys(options).sort()]);
  }
});
