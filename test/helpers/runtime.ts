/** Tests that need a runtime besides Node. Without it they are skipped with a reason, or fail under CI=true. */
import { spawnSync } from 'node:child_process';
import { describe, it } from '@jest/globals';

/** Timeout in ms of the first download of a test's programs, over a slow connection too. */
export const INSTALL_TIMEOUT = 600_000;

/** True when the command answers `--version`. */
export const isThere = (command: string): boolean =>
  spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

/** `describe` if the runtime exists. Otherwise the block is skipped and its name has the missing runtime. */
export function describeWith(runtime: string, present: boolean, name: string, tests: () => void): void {
  if (present) describe(name, tests);
  else if (process.env.CI === 'true')
    describe(name, () => it(`needs ${runtime}`, () => Promise.reject(new Error(`${runtime} is missing`))));
  else describe.skip(`${name} (needs ${runtime}, which is missing)`, tests);
}
