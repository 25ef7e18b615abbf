#!/usr/bin/env node
/** `npm run demo`: prepares the checkout and fills an empty catalog with the folder demo; see src/cli/demo.ts. */
import { launch } from './launch.mjs';
import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'demo');
await launch('src/cli/main.js');
