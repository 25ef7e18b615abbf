#!/usr/bin/env node
/**
 * `catalog …`, from a checkout `npm run -s catalog -- …`: prepares a checkout, silently when it is up to date, and runs one command. The
 * package has no sources and is prepared.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './launch.mjs';
import { root } from './stamp.mjs';

if (existsSync(join(root, 'src'))) await (await import('./prepare.mjs')).prepare();
await launch('src/cli/main.js');
