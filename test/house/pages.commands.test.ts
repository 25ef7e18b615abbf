/** Pages name only existing commands, options and npm scripts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commands } from '../../src/cli/commands.ts';
import { MissingWord, readShape, SHAPES, type Shape } from '../../src/cli/options.ts';
import { projectRoot } from '../../src/kernel/root.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'deploy/README.md',
  ...['docs', 'docs/how-to'].flatMap((folder) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith('.md') && name !== 'command-line.md')
      .map((name) => `${folder}/${name}`),
  ),
];

/** Command lines of a page: `npm run -s catalog -- …` everywhere, and `catalog …` in code. */
function commandLines(text: string): string[] {
  const code = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].flatMap(([, block]) => block!.split('\n'));
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, one]) => one!);
  return [...code, ...inline].flatMap((line) => {
    const found = /^(?:npm run -s catalog -- |catalog )(.+)$/.exec(line.trim())?.[1];
    return found ? [found.split(/ [|>&#\\]| {2}/)[0]!.trim()] : [];
  });
}

/** The fault of a command line, or null. */
function faultOf(line: string): string | null {
  const words = line.split(/\s+/).filter((word) => word !== '…' && word !== '...');
  if (words.length === 0 || /^--?(version|help|v|h)$|^help$/.test(words[0]!)) return null;
  const name = [2, 1].map((count) => words.slice(0, count).join(' ')).find((text) => Object.hasOwn(commands, text));
  if (name === undefined) {
    const isGroup = words.length === 1 && Object.keys(commands).some((one) => one.startsWith(`${words[0]} `));
    return isGroup || /^[A-Z]/.test(line) ? null : `unknown command ${line}`;
  }
  const shape = (SHAPES as Record<string, Shape>)[name];
  const args = words.slice(name.split(' ').length);
  if (!shape || args.includes('--help')) return null;
  try {
    readShape(
      name,
      shape,
      args.filter((word) => !/^[[(]/.test(word)).map((word) => word.replaceAll(/^["']|["']$/g, '')),
    );
    return null;
  } catch (thrown) {
    return thrown instanceof MissingWord ? null : (thrown as Error).message; // prose names commands without their arguments
  }
}

describe.each(pages)('%s', (page) => {
  it('names existing commands and options', () => {
    expect(
      commandLines(read(page))
        .map(faultOf)
        .filter((fault) => fault !== null),
    ).toEqual([]);
  });

  it('names existing npm scripts', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !scripts[name] && name !== 'sbom')).toEqual([]);
  });
});

it('detects a removed command and a removed option', () => {
  expect(commandLines('`catalog user ad x`\n```sh\nnpm run -s catalog -- backup x --fast\n```').map(faultOf)).toEqual([
    'catalog backup: unknown option --fast.',
    'unknown command user ad x',
  ]);
});
