/** Command line of `catalog …`: finds the command, reads the settings, and turns failures into messages and exit codes. */

import { createLogger } from '../infra/log/log.ts';
import { loadSettings } from '../kernel/config.ts';
import { UsageError } from './command.ts';
import { commands, type Entry } from './commands.ts';

/** Expected errors, shown as a message only. Others include the stack trace. */
const EXPECTED_ERRORS = new Set([
  'UsageError',
  'CommandFailure',
  'SettingsError',
  'HomeError',
  'EmbeddedError',
  'MigrationError',
  'CatalogError',
]);

/** Runs one command line (without `node` and the file). Returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const name = [2, 1].map((count) => words.slice(0, count).join(' ')).find((text) => Object.hasOwn(commands, text));
  const entry = name === undefined ? undefined : commands[name];
  const isHelp = words.length === 0 || words[0] === 'help' || words.includes('--help');
  if (isHelp || !name || !entry) {
    const problem = isHelp ? '' : `Unknown command "${words[0]}".\n\n`;
    (words.length > 0 && isHelp ? console.log : console.error)(problem + (entry ? usageOf(entry) : help()));
    return words.length > 0 && isHelp ? 0 : 2;
  }
  try {
    const settings = loadSettings();
    const { command } = await entry.load();
    await command(words.slice(name.split(' ').length), { settings, log: createLogger(settings) });
    return 0;
  } catch (thrown) {
    console.error(describe(thrown) || usageOf(entry));
    return thrown instanceof UsageError ? 2 : 1;
  }
}

const usageOf = ({ usage, summary }: Entry): string => `Usage: catalog ${usage}\n${summary}`;

const help = (): string =>
  `Usage:\n${Object.values(commands)
    .map(({ usage, summary }) => `  catalog ${usage}\n      ${summary}`)
    .join('\n')}`;

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  if (EXPECTED_ERRORS.has(thrown.name) || code.startsWith('ERR_PARSE_ARGS')) return thrown.message;
  if (DATABASE_CODES.has(code) || SQLSTATE.test(code) || isLostConnection(thrown))
    return `The database cannot be used: ${thrown.message || messagesOf(thrown) || code}. Check DATABASE_URL (catalog.database_url).`;
  const path = (thrown as NodeJS.ErrnoException).path;
  const fault = FILE_FAULTS[code];
  if (path !== undefined && fault !== undefined)
    return `${path}: ${fault}. Run as the owner of the catalog, or choose another folder with CATALOG_HOME or catalog.data_dir.`;
  return thrown.stack ?? thrown.message;
}

/** Network and DNS errors of the connection to PostgreSQL. */
const DATABASE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
]);
/** PostgreSQL's error classes for connections, authentication, database names, permissions, resources and shutdown. */
const SQLSTATE = /^(?:08|28|3D|53|57)[0-9A-Z]{3}$|^(?:25006|42501)$/;

/** Errors of `pg` without a code: the other side is not PostgreSQL, refuses TLS, or disconnects. */
const isLostConnection = (thrown: Error): boolean =>
  /^(Connection terminated|timeout expired|The server does not support SSL|There was an error establishing an SSL|Received unexpected)/.test(
    thrown.message,
  ) ||
  ((thrown as NodeJS.ErrnoException).syscall === 'connect' && thrown.message.includes('.s.PGSQL.'));

/** Messages of a connection attempt to several addresses. */
const messagesOf = (thrown: Error): string =>
  thrown instanceof AggregateError ? thrown.errors.map((it: Error) => it.message).join(', ') : '';

/** File errors that the user can fix. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'part of the path is not a folder',
};
