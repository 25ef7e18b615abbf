/** Go programs for tests, built from the module proxy into .cache/go once, each into a folder of its own. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { projectRoot } from '../../src/kernel/root.ts';

/** A developer's Go settings are ignored. */
const GO = { ...process.env, GOTOOLCHAIN: 'auto', GOOS: '', GOARCH: '', GOFLAGS: '' };

/** Whether such programs can be built: by Go 1.25, or by an older one that downloads it. */
export function hasGo(): boolean {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8', env: GO });
  const [, minor] = /^go1\.(\d+)/.exec(stdout ?? '') ?? [];
  return status === 0 && Number(minor) >= 21;
}

/** Builds a command (the path of its package) at this version, unless it exists. Returns the path of the program. */
export async function installGo(command: string, version: string): Promise<string> {
  const name = command.split('/').at(-1)!;
  const folder = join(projectRoot, '.cache/go', `${name}-${version}`);
  await withLock(`go-${name}`, async () => {
    const done = join(folder, 'done');
    if (existsSync(done)) return;
    const env = { ...GO, GOBIN: folder };
    await promisify(execFile)('go', ['install', `${command}@${version}`], { env });
    writeFileSync(done, '');
  });
  return join(folder, name);
}
