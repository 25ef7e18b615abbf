/** Each block of commands in a page is run by a test, or the page states that tests do not run it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commands } from '../../src/cli/commands.ts';
import { usageOf } from '../../src/cli/help.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { blocksOf, ELSEWHERE, EXEMPT, faultOf, pages } from '../helpers/page-blocks.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

it.each(pages.filter((page) => !Object.hasOwn(EXEMPT, page)))('runs or marks every block of %s', (page) => {
  expect(
    blocksOf(page)
      .map(faultOf)
      .filter((fault) => fault !== null),
  ).toEqual([]);
});

it('lists the blocks that other tests run', () => {
  for (const { page, language, test, count, begins = '' } of ELSEWHERE) {
    const own = blocksOf(page).filter((block) => block.language === language && block.text.startsWith(begins));
    expect([page, language, own.length, existsSync(join(projectRoot, test))]).toEqual([page, language, count, true]);
  }
  expect(Object.keys(EXEMPT).filter((page) => !pages.includes(page))).toEqual([]);
});

it('shows the usage of each command in docs/command-line.md', () => {
  const page = read('docs/command-line.md');
  const shown = blocksOf('docs/command-line.md').map(({ text }) => text.trim());
  expect(shown.sort()).toEqual(
    Object.keys(commands)
      .map((name) => /^Usage: (.*)$/m.exec(usageOf(name))![1]!)
      .sort(),
  );
  for (const name of Object.keys(commands)) expect(page).toContain(`\n## ${name}\n`);
});

describe('a block that no test runs', () => {
  const page = (...lines: string[]) => blocksOf('docs/links.md', lines.join('\n')).map(faultOf);
  const DOCKER = ['```sh', 'curl http://localhost:5000', 'docker compose up \\', '  -d', '```'];

  it('is detected', () => {
    expect(page('# A', ...DOCKER)).toEqual(['docs/links.md:2: no test runs docker compose up \\\n  -d']);
    expect(page('# A', '```', 'catalog config', '```')).toEqual([expect.stringContaining('the language ""')]);
    expect(page('# A', '```ruby', 'puts 1', '```')).toEqual([expect.stringContaining('"ruby"')]);
    expect(page('# A', 'Tests do not run `docker`.', ...DOCKER)).toHaveLength(1); // without a reason
    expect(page('# A', 'Tests do not run these commands: they need Docker.', '## B', ...DOCKER)[0]).toMatch(/docker/);
  });

  it('is marked by a sentence of its section', () => {
    expect(page('# A', ...DOCKER, '', 'Tests do not run these commands: they need Docker.')).toEqual([null]);
    expect(page('# A', 'Tests do not run `docker`: it needs', 'Docker.', ...DOCKER)).toEqual([null]);
    expect(page('# A', 'Tests do not run `npm`: it is slow.', ...DOCKER)[0]).toMatch(/docker/);
    expect(page('# A', 'Tests do not run the TypeScript: it is short.', '```ts', 'x', '```', ...DOCKER)).toEqual([
      null,
      expect.stringContaining('docker'),
    ]);
  });
});
