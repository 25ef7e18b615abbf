/** Installs other versions of Node from the npm package `node` into .cache/node. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stamp.mjs';

/** Path of a version's program. The running program if it has this version. Installs it when missing. */
export function installNode(major) {
  if (Number(process.versions.node.split('.')[0]) === major) return process.execPath;
  const folder = join(root, '.cache/node', String(major));
  const node = join(folder, 'node_modules/node/bin/node');
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  // Its install script copies the program of this platform; npm runs only scripts that are allowed.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts: { node: true } }));
  const run = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', `node@${major}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (run.status !== 0 || !existsSync(node)) throw new Error(`npm cannot install Node ${major}`);
  return node;
}
