import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './root.ts';

/** Version of this software, from its package.json. */
export const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly version: string;
};
