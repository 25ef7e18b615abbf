/**
 * `npm run test:nodes`: runs the unit tests on every supported version of Node except the running one. Installs versions from the npm
 * package `node` into .cache/node. Writes the results of each to .cache/node-<major>-results.json.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

const MAJORS = [20, 22, 24];

await prepare();
const running = Number(process.versions.node.split('.')[0]);
for (const major of MAJORS.filter((other) => other !== running)) {
  const node = install(major);
  console.log(`Unit tests on Node ${major}`);
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'unit'];
  const results = ['--json', '--outputFile', join(root, `.cache/node-${major}-results.json`)];
  const run = spawnSync(node, ['--experimental-vm-modules', '--no-warnings', ...jest, ...results], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (run.status !== 0) process.exitCode = 1;
}

/** Path of a version's program. Installs it when missing. */
function install(major) {
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
