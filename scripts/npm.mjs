/** Installs npm packages for tests and benches only, from the registry into .cache/npm, once, with a folder per set. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root, withLock } from './stamp.mjs';

/**
 * Installs packages at exactly these versions, without install scripts; fast when installed already. Returns the folder that contains their
 * `node_modules`.
 */
export async function installNpm(packages) {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const folder = join(root, '.cache/npm', createHash('sha256').update(wanted.join(' ')).digest('hex').slice(0, 12));
  await withLock('npm-clients', async () => {
    const done = join(folder, '.done');
    if (existsSync(done)) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "commonjs" }\n');
    const how = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
    await promisify(execFile)('npm', ['install', ...how, ...wanted], { cwd: folder });
    writeFileSync(done, '');
  });
  return folder;
}
