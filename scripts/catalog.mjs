#!/usr/bin/env node
/** `catalog …`, from a checkout `npm run -s catalog -- …`: makes the checkout ready, silently when there is nothing to do, and runs one command. */
import { launch } from './launch.mjs';
import { prepare } from './prepare.mjs';

await prepare();
await launch('src/cli/main.js');
