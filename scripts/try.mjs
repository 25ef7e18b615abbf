#!/usr/bin/env node
/** `npm run try -- tag_list query=air`: prepares the checkout and calls one action in this process; see src/cli/try.ts. */
import { launch } from './launch.mjs';
import { prepare } from './prepare.mjs';

await prepare();
process.argv.splice(2, 0, 'try');
await launch('src/cli/main.js');
