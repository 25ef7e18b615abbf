/** Python programs for tests, installed from the package index into .cache/python once. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';

const FOLDER = join(projectRoot, '.cache/python');
const BIN = join(FOLDER, process.platform === 'win32' ? 'Scripts' : 'bin');

/** Whether there is a Python that can make environments. */
export const hasPython = (): boolean =>
  spawnSync('python3', ['-c', 'import venv, ensurepip'], { stdio: 'ignore' }).status === 0;

/** Makes a package's program usable, at exactly this version; quick when it is there. */
export function installPython(name: string, version: string): void {
  if (!existsSync(BIN)) execFileSync('python3', ['-m', 'venv', FOLDER], { stdio: 'pipe' });
  const python = join(BIN, 'python');
  const installed = spawnSync(python, ['-c', `import importlib.metadata as m; print(m.version('${name}'))`], {
    encoding: 'utf8',
  });
  if (installed.stdout.trim() === version) return;
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`], {
    stdio: 'pipe',
  });
}

/** Environment in which the installed programs are found, by themselves too. */
export const pythonEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${BIN}${delimiter}${process.env.PATH ?? ''}`,
});
