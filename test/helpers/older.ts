/** An older state of this project, built once in .cache/older. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/kernel/root.ts';
import { version } from '../../src/kernel/version.ts';

const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: projectRoot, encoding: 'utf8', maxBuffer: 2 ** 28 }).trim();

/** The first state that starts on a newer schema. No release before it does. */
const FIRST = 'src/migrate/newer.ts';

/**
 * The commit of the last release, or the first state that starts on a newer schema, if that is newer. ROLLING_FROM chooses another.
 * @throws Error when the checkout has no history
 */
export function olderCommit(): string {
  if (process.env.ROLLING_FROM) return git('rev-parse', process.env.ROLLING_FROM);
  const released = git('log', '-1', '--format=%H', `-S"version": "${version}"`, '--', 'package.json');
  const first = git('log', '-1', '--format=%H', '--diff-filter=A', '--', FIRST);
  if (git('rev-parse', '--is-shallow-repository') === 'true' || !released || !first)
    throw new Error('This test needs the history of the project. Run: git fetch --unshallow');
  const isReleased = git('rev-list', '--count', `${first}..${released}`) !== '0';
  return isReleased && git('merge-base', first, released) === first ? released : first;
}

/** Returns the folder of the program at a commit, ready to run. It uses this checkout's packages if both need the same. */
export function olderProgram(commit: string): string {
  const folder = join(projectRoot, '.cache/older', commit);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { cwd: projectRoot, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', draft], { input: archive });
  const lock = (root: string) => readFileSync(join(root, 'package-lock.json'), 'utf8');
  if (lock(draft) === lock(projectRoot)) symlinkSync(join(projectRoot, 'node_modules'), join(draft, 'node_modules'));
  execFileSync(process.execPath, ['scripts/prepare.mjs'], { cwd: draft, stdio: ['ignore', 'inherit', 'inherit'] });
  writeFileSync(join(draft, 'built'), '');
  renameSync(draft, folder);
  return folder;
}
