/** Writes docs/actions.md from the action table. test/house/actions.test.ts fails when the page is outdated. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

await prepare();
const { actions } = await import('../dist/facades/action/actions.js');
const { actionsPage } = await import('../dist/facades/action/docs.js');
mkdirSync(join(root, 'docs'), { recursive: true });
const { actions: reference } = JSON.parse(readFileSync(join(root, 'test/compat/actions.json'), 'utf8'));
writeFileSync(join(root, 'docs/actions.md'), actionsPage(actions, Object.keys(reference)));
console.log(`docs/actions.md: ${Object.keys(actions).length} actions`);
