/** Writes docs/command-line.md from the commands. test/house/commands.test.ts fails when the page is outdated. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

await prepare();
const { commandsPage } = await import('../dist/src/cli/help.js');
writeFileSync(join(root, 'docs/command-line.md'), commandsPage());
console.log('docs/command-line.md');
