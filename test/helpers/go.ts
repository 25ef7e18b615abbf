/** Go programs for tests, built from the module proxy into .cache/go once, each into a folder of its own. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { projectRoot } from '../../src/kernel/root.ts';

/** Whether such programs can be built. */
export const hasGo = (): boolean => spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

/** Builds a command (the path of its package) at exactly this version, quick when it is there. Returns the path of the program. */
export async function installGo(command: string, version: string): Promise<string> {
  const name = command.split('/').at(-1)!;
  const folder = join(projectRoot, '.cache/go', `${name}-${version}`);
  await withLock(`go-${name}`, async () => {
    const done = join(folder, 'done');
    if (existsSync(done)) return;
    const env = { ...process.env, GOBIN: folder };
    await promisify(execFile)('go', ['install', `${command}@${version}`], { env });
    writeFileSync(done, '');
  });
  return join(folder, name);
}
