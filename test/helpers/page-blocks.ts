/** Fenced code blocks of the documentation, and the test that runs each. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';

export interface Block {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The block that directly follows a command: its output. */
  readonly output: string | undefined;
  /** Beginnings of commands that the section excludes from tests: `''` for all of them. */
  readonly notRun: readonly string[];
}

/** Pages whose examples only show syntax, or that another test covers as a whole. */
export const EXEMPT: Readonly<Record<string, string>> = {
  'solr/README.md': 'executed by test/solr',
  'docs/search.md': 'executed by test/solr',
  'docs/command-line.md': 'generated: test/house/pages.blocks.test.ts compares it with the help of each command',
  'docs/schema.md': 'generated: pictures of tables',
};

/** Blocks that separate tests run: the test, the number of blocks, and the beginning of the blocks. */
export const ELSEWHERE: readonly {
  page: string;
  language: string;
  test: string;
  count: number;
  begins?: string;
}[] = [
  // `npm test` is this run, and test/cli/demo.test.ts has `npm run demo`.
  { page: 'README.md', language: 'sh', begins: 'npm start', test: 'test/web/tutorial.test.ts', count: 1 },
  { page: 'docs/tutorial.md', language: 'sh', test: 'test/web/tutorial.test.ts', count: 13 },
  { page: 'docs/upgrade.md', language: 'sh', begins: 'npm run', test: 'test/backup/upgrade.test.ts', count: 1 },
  { page: 'docs/webhooks.md', language: 'js', test: 'test/webhooks/examples.test.ts', count: 1 },
  { page: 'docs/webhooks.md', language: 'python', test: 'test/webhooks/examples.test.ts', count: 1 },
  {
    page: 'docs/how-to/use-charts-elsewhere.md',
    language: 'python',
    test: 'test/web/dashboards.docs.test.ts',
    count: 1,
  },
  ...Object.entries({ css: 2, html: 4, json: 3, markdown: 1, svg: 2 }).map(([language, count]) => ({
    ...{ page: 'docs/how-to/make-a-theme.md', language, count, test: 'test/web/theme.templates.test.ts' },
  })),
  { page: 'clients/typescript/README.md', language: 'ts', test: 'test/compat/client.package.test.ts', count: 9 },
];

/** Languages that test/docs runs, and languages of blocks that are not executed. */
export const RUN_LANGUAGES = ['sh', 'graphql', 'yaml', 'sql', 'crontab', 'js'] as const;
export type RunLanguage = (typeof RUN_LANGUAGES)[number];
export const SHOWN = ['text', 'http', 'mermaid'];

/** Beginnings of commands that test/docs may run on this machine. They only write to the test's own catalog and folder. */
export const MAY_RUN =
  /^(?:(?:catalog|curl|ckanapi|psql|mv data) |npm run (?:-s )?(?:catalog|try) |[A-Z_]+='|(?:\S+ ){5}cd \/srv\/catalog )/;

export const runsHere = (block: Block): block is Block & { readonly language: RunLanguage } =>
  (RUN_LANGUAGES as readonly string[]).includes(block.language) && !isElsewhere(block) && runnable(block) !== '';

export const isElsewhere = (block: Block): boolean =>
  ELSEWHERE.some(
    ({ page, language, begins = '' }) =>
      page === block.page && language === block.language && block.text.startsWith(begins),
  );

/** README first: its datasets are examples of other pages. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'docs/how-to'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
  'clients/typescript/README.md',
  'deploy/README.md',
  'solr/README.md',
];

const FENCE = /^( *)```(\S*)\n(.*?)^ *```$/gms;
/** "Tests do not run these commands: …", with a reason. It may name commands, or a language. */
const NOT_RUN = /\bTests do not run ((?:`[^`]+`|[^`:])+): \w/g;
const LANGUAGES: Readonly<Record<string, string>> = { TypeScript: 'ts', systemd: 'ini' };

/** Beginnings of the commands that tests do not run of a language, by the prose of a section. */
function notRunIn(section: string, language: string): string[] {
  const prose = section.replace(FENCE, '').replace(/\s+/g, ' ');
  return [...prose.matchAll(NOT_RUN)].flatMap(([, named = '']) => {
    const commands = [...named.matchAll(/`([^`]+)`/g)].map(([, command]) => command!);
    const languages = Object.keys(LANGUAGES).filter((name) => named.includes(name));
    if (languages.length > 0) return languages.some((name) => LANGUAGES[name] === language) ? [''] : commands;
    return commands.length > 0 ? commands : [''];
  });
}

/** Blocks of a page. A block of JSON or text that directly follows a command is its output and not a separate block. */
export function blocksOf(page: string, markdown = readFileSync(join(projectRoot, page), 'utf8')): Block[] {
  const found = [...markdown.matchAll(FENCE)];
  const isInside = (at: number) => found.some(({ index, 0: { length } }) => index < at && at < index + length);
  const headings = [...markdown.matchAll(/^#+ /gm)].map(({ index }) => index).filter((at) => !isInside(at));
  const blocks: (Block & { end: number })[] = [];
  for (const { index, 0: whole, 1: indent = '', 2: language = '', 3: body = '' } of found) {
    const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const before = blocks.at(-1);
    const isOutput = /^(json|text|)$/.test(language) && before?.end === index;
    const end = index + whole.length + 1;
    if (isOutput) blocks[blocks.length - 1] = { ...before!, end, output: text };
    else {
      const from = headings.findLast((at) => at < index) ?? 0;
      const notRun = notRunIn(
        markdown.slice(
          from,
          headings.find((at) => at > index),
        ),
        language,
      );
      const line = markdown.slice(0, index).split('\n').length;
      blocks.push({ page, line, language, text, output: undefined, notRun, end });
    }
  }
  return blocks.map(({ end: _, ...block }) => block);
}

/** The commands of a shell block: a line that is indented, or inside of a text, belongs to the command above. */
export const commandsIn = (text: string): string[] => text.split(/^(?=[^\s#])/m).filter((one) => one.trim() !== '');

/** The block without the commands that the page says are not run. */
export const runnable = ({ text, notRun }: Block): string =>
  commandsIn(text)
    .filter((command) => !notRun.some((beginning) => command.startsWith(beginning)))
    .join('');

/** Why tests cannot run a block that its page does not mark; null if they run it. */
export function faultOf(block: Block): string | null {
  const { page, line, language } = block;
  if (SHOWN.includes(language) || isElsewhere(block) || runnable(block) === '') return null;
  if (!runsHere(block)) return `${page}:${line}: no test runs the language "${language}"`;
  const isShell = language === 'sh' || language === 'crontab';
  const refused = isShell ? commandsIn(runnable(block)).find((command) => !MAY_RUN.test(command)) : undefined;
  return refused === undefined ? null : `${page}:${line}: no test runs ${refused.trim()}`;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** The shown output as a pattern: `…` matches any text, and line breaks do not count. */
export const patternOf = (output: string): RegExp =>
  new RegExp(output.replace(/\n/g, '').split('…').map(escaped).join('.*').replaceAll(' ', '\\s*'), 's');
