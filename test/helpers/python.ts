/** Python programs for tests, installed once from the package index into .cache/python, each into a separate environment. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withLock } from '../../scripts/stamp.mjs';
import { projectRoot } from '../../src/kernel/root.ts';

/** Whether there is a Python that can make environments. */
export const hasPython = (): boolean =>
  spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;

/**
 * Installs a package at exactly this version, unless it is installed. Returns the process environment in which `python` and the package's
 * programs are found. `name` may have extras: 'moto[server]'. `beside`: requirements that the package does not declare, or declares too
 * loosely for today's index.
 */
export async function installPython(
  name: string,
  version: string,
  beside: readonly string[] = [],
): Promise<NodeJS.ProcessEnv> {
  const folder = join(projectRoot, '.cache/python', `${name.replace(/\W+/g, '-')}-${version}`);
  const bin = join(folder, process.platform === 'win32' ? 'Scripts' : 'bin');
  await withLock(`python-${name.replace(/\W+/g, '-')}`, async () => {
    const done = join(folder, 'pyvenv.done');
    if (existsSync(done)) return;
    const run = promisify(execFile);
    await run('python3', ['-m', 'venv', '--clear', folder]);
    await run(join(bin, 'python'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`, ...beside],
    ]);
    await run(join(bin, 'python'), ['-c', `open(${JSON.stringify(done)}, 'w').close()`]);
  });
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, PYTHONNOUSERSITE: '1' };
}
