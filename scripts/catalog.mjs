#!/usr/bin/env node
/** `catalog …`, from a checkout `npm run -s catalog -- …`: prepares the checkout, silently when it is up to date, and runs one command. */
import { launch } from './launch.mjs';
import { prepare } from './prepare.mjs';

await prepare();
await launch('src/cli/main.js');
