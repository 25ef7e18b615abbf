/** docs/command-line.md is generated from the commands. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { commandsPage } from '../../src/cli/help.ts';
import { projectRoot } from '../../src/kernel/root.ts';

it('has an up-to-date docs/command-line.md (node scripts/docs-commands.mjs)', () => {
  expect(readFileSync(join(projectRoot, 'docs/command-line.md'), 'utf8')).toBe(commandsPage());
});
