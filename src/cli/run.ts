/** Command line of `catalog …`: finds the command, reads the settings, and turns failures into messages and exit codes. */
import { createLogger } from '../infra/log/log.ts';
import { loadSettings } from '../kernel/config.ts';
import { CatalogError } from '../kernel/errors.ts';
import type { Settings } from '../kernel/settings.ts';
import { type CommandContext, refusalText, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { groupHelp, help, usageOf } from './help.ts';
import { nearest } from './nearest.ts';
import { MissingWord, readShape, SHAPES, type Shape } from './options.ts';

/** Expected errors, shown as a message only. Others include the stack trace. */
const EXPECTED_ERRORS = new Set([
  'UsageError',
  'CommandFailure',
  'BackupError',
  'SettingsError',
  'HomeError',
  'EmbeddedError',
  'MigrationError',
  'SecretError',
]);

/** Names of commands have one or two words. */
const nameIn = (words: readonly string[]): string | null =>
  [2, 1].map((count) => words.slice(0, count).join(' ')).find((text) => Object.hasOwn(commands, text)) ?? null;

/** Runs one command line (without `node` and the file). Returns the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function runCommandLine(
  words: readonly string[],
  read: () => Settings = () => loadSettings(),
): Promise<number> {
  if (words[0] === '--version' || words[0] === '-v') return runCommandLine(['version', ...words.slice(1)], read);
  const isHelp = words[0] === 'help' || words.includes('--help') || words.includes('-h');
  if (isHelp || words.length === 0) return showHelp(words, isHelp);
  const name = nameIn(words);
  if (name === null) return fail(unknown(words));
  const args = words.slice(name.split(' ').length);
  try {
    readShape(name, SHAPES[name as keyof typeof SHAPES] as Shape, args);
    const { command } = await commands[name]!.load();
    await command(args, name === 'version' ? UNREAD : contextOf(read()));
    return 0;
  } catch (thrown) {
    const message = thrown instanceof MissingWord ? missing(name, thrown) : describe(thrown);
    if (!(thrown instanceof UsageError)) return fail(message, 1);
    return fail(message ? `${message}\nHelp: catalog ${name} --help` : usageOf(name));
  }
}

const contextOf = (settings: Settings): CommandContext => ({ settings, log: createLogger(settings) });
/** For the command that works with any settings, also with wrong ones. */
const UNREAD = {} as CommandContext;

/** The message for a missing word: its placeholder in the usage of the command. */
function missing(name: string, { given }: MissingWord): string {
  const usage = commands[name]!.usage.slice(name.length).replaceAll(/\[[^\]]*\]/g, '');
  return `catalog ${name}: ${usage.split(' ').filter(Boolean)[given] ?? 'a word'} is missing.`;
}

function fail(message: string, code = 2): number {
  console.error(message);
  return code;
}

function showHelp(words: readonly string[], isRequested: boolean): number {
  const topic = words.filter((word, index) => !(word.startsWith('-') || (index === 0 && word === 'help')));
  const name = nameIn(topic);
  const [first] = topic;
  const group = first === undefined ? null : groupHelp(first);
  if (name === null && first !== undefined && group === null) return fail(unknown(topic));
  const text = name !== null ? usageOf(name) : (group ?? help());
  if (!isRequested) return fail(text);
  console.log(text);
  return 0;
}

/** The message for a command that does not exist. */
function unknown([first = '', second = '']: readonly string[]): string {
  const names = Object.keys(commands);
  const isGroup = names.some((name) => name.startsWith(`${first} `));
  if (isGroup && !second) return `catalog ${first}: a word is missing.\n${groupHelp(first)}`;
  const requested = [first, second].filter((word) => word && !word.startsWith('-')).join(' ');
  const option = requested === '' ? nearest(first.replace(/^-+/, ''), ['version', 'help']) : null;
  if (option) return `Unknown option ${first}. Did you mean "catalog --${option}"? Help: catalog help`;
  const near = nearest(requested, names) ?? nearest(first, names) ?? nearest(first, [...groups(names)]);
  return `${requested ? `Unknown command "${requested}"` : `Unknown option ${first}`}.${near ? ` Did you mean "catalog ${near}"?` : ''} Help: catalog help`;
}

const groups = (names: readonly string[]): Set<string> => new Set(names.map((name) => name.split(' ')[0]!));

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const code = (thrown as NodeJS.ErrnoException).code ?? '';
  if (thrown instanceof CatalogError) return refusalText(thrown);
  if (EXPECTED_ERRORS.has(thrown.name) || code.startsWith('ERR_PARSE_ARGS')) return thrown.message;
  if (DATABASE_CODES.has(code) || SQLSTATE.test(code) || isLostConnection(thrown))
    return `The database cannot be used: ${thrown.message || messagesOf(thrown) || code}. Check DATABASE_URL (catalog.database_url).`;
  const path = (thrown as NodeJS.ErrnoException).path;
  const fault = FILE_FAULTS[code];
  if (path !== undefined && fault !== undefined)
    return `${path}: ${fault}. Run as the owner of the catalog, or choose another folder with CATALOG_HOME or catalog.data_dir.`;
  const pathFault = PATH_FAULTS[code];
  if (path !== undefined && pathFault !== undefined)
    return `${JSON.stringify(path)}: ${pathFault}. Check the path in the command or in the settings.`;
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

/** Errors of a path that does not fit. */
const PATH_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name exists',
  ELOOP: 'a symbolic link leads to itself',
  ENAMETOOLONG: 'the path is too long',
};
