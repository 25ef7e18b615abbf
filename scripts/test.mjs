/** `npm test`: installs missing packages, generates, builds (child processes run from the build), and runs jest with the given arguments. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

await prepare();
const jest = join(root, 'node_modules/jest/bin/jest.js');
const run = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', jest, ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = run.status ?? 1;
