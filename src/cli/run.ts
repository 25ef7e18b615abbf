/** `catalog …`: finds the command, reads the settings, and turns what goes wrong into a message and an exit code. */
import { loadSettings } from '../kernel/config.ts';
import { createLogger } from '../kernel/log.ts';
import { UsageError } from './command.ts';
import { commands, type Entry } from './commands.ts';

/** Failures whose message is meant for the person at the terminal; of anything else they get the whole trace. */
const FORESEEN = new Set([
  'UsageError',
  'CommandFailure',
  'SettingsError',
  'EmbeddedError',
  'MigrationError',
  'CatalogError',
]);

/** Runs one command line (without `node` and the file). Answers the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const name = [2, 1].map((count) => words.slice(0, count).join(' ')).find((text) => Object.hasOwn(commands, text));
  const entry = name === undefined ? undefined : commands[name];
  const asked = words.length === 0 || words[0] === 'help' || words.includes('--help');
  if (asked || !name || !entry) {
    const problem = asked ? '' : `There is no command "${words[0]}".\n\n`;
    (words.length > 0 && asked ? console.log : console.error)(problem + (entry ? usageOf(entry) : help()));
    return words.length > 0 && asked ? 0 : 2;
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
  if (FORESEEN.has(thrown.name) || code.startsWith('ERR_PARSE_ARGS')) return thrown.message;
  if (['ECONNREFUSED', 'ENOTFOUND', '28P01', '28000', '3D000'].includes(code))
    return `The database cannot be used: ${thrown.message || code}`;
  return thrown.stack ?? thrown.message;
}
