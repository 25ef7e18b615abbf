/** Tests that need a runtime beside Node: skipped by name where it is missing; under CI=true that is a failure. */
import { spawnSync } from 'node:child_process';
import { describe, it } from '@jest/globals';

/** ms within which a test's programs are downloaded the first time, over a slow line too. */
export const INSTALL_TIMEOUT = 600_000;

/** True when the command answers `--version`. */
export const isThere = (command: string): boolean =>
  spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

/** `describe` where the runtime is there; otherwise the block is skipped and its name says what was missing. */
export function describeWith(runtime: string, present: boolean, name: string, tests: () => void): void {
  if (present) describe(name, tests);
  else if (process.env.CI === 'true')
    describe(name, () => it(`needs ${runtime}`, () => Promise.reject(new Error(`${runtime} is missing`))));
  else describe.skip(`${name} (needs ${runtime}, which is missing)`, tests);
}
