/** Help texts of commands, and the page docs/command-line.md. */
import { commands } from './commands.ts';
import { type Option, SHAPES, type Shape } from './options.ts';

const optionsOf = (name: string): [string, Option][] =>
  Object.hasOwn(SHAPES, name) ? Object.entries((SHAPES as Record<string, Shape>)[name]!.options) : [];
const written = (name: string, { value }: Option): string => `--${name}${value ? ` ${value}` : ''}`;

/** Usage, summary and options of a command. */
export function usageOf(name: string): string {
  const { usage, summary } = commands[name]!;
  const options = optionsOf(name).map(([option, it]) => [written(option, it), it.summary] as const);
  const width = Math.max(0, ...options.map(([text]) => text.length));
  return [`Usage: catalog ${usage}`, summary, ...options.map(([text, it]) => `  ${text.padEnd(width)}  ${it}`)].join(
    '\n',
  );
}

const line = (name: string): string => `  catalog ${commands[name]!.usage}\n      ${commands[name]!.summary}`;

/** Help of the commands that begin with a word; null if there is none. */
export function groupHelp(word: string): string | null {
  const names = Object.keys(commands).filter((name) => name === word || name.startsWith(`${word} `));
  return names.length === 0 ? null : `Usage:\n${names.map(line).join('\n')}`;
}

/** Help of all commands. */
export const help = (): string =>
  `Usage:\n${Object.keys(commands).map(line).join('\n')}\n\nOptions of a command: catalog COMMAND --help\nExit codes: 0 success, 1 failure or a problem found, 2 wrong usage.`;

const HEAD = `# Command line

Generated from the commands of \`src/cli\` by \`node scripts/docs-commands.mjs\`. \`catalog COMMAND --help\` prints the same.

From a checkout, write \`npm run -s catalog -- COMMAND\`. With the package, write \`catalog COMMAND\`. Commands use the
settings of the server ([settings.md](settings.md)), and act as a system administrator without an account. They work
beside running servers.

Results go to standard output. Questions, progress and logs go to standard error. With \`--json\`, the result is one JSON
value. Commands with \`--yes\` ask for confirmation on a terminal. Without a terminal, add \`--yes\`. \`reset\` always
needs it. \`files sweep\` and \`datastore sweep\` do not ask: run \`files check\` or \`datastore check\` first.

| Exit code | Meaning |
| --- | --- |
| 0 | Success. |
| 1 | Failure, or a check found a problem. |
| 2 | Wrong usage: an unknown command or option, or a missing confirmation. Nothing was changed. |

An option without a value, such as \`--json\`, is off by default.`;

/** docs/command-line.md. */
export function commandsPage(): string {
  const names = Object.keys(commands).sort();
  const parts = names.map((name) => {
    const { usage, summary } = commands[name]!;
    const rows = optionsOf(name).map(([option, it]) => `| \`${written(option, it)}\` | ${it.summary} |`);
    const table = rows.length > 0 ? `\n\n| Option | Meaning |\n| --- | --- |\n${rows.join('\n')}` : '';
    return `## ${name}\n\n\`\`\`sh\ncatalog ${usage}\n\`\`\`\n\n${wrapped(summary)}${table}`;
  });
  return `${[HEAD, ...parts].join('\n\n')}\n`;
}

/** Lines of at most 120 characters. */
function wrapped(text: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const current = lines.at(-1)!;
    if (current && current.length + word.length >= 120) lines.push(word);
    else lines[lines.length - 1] = current ? `${current} ${word}` : word;
  }
  return lines.join('\n');
}
