/**
 * `npm run test:nodes`: runs the unit tests on every supported version of Node except the running one. Writes the results of each to
 * .cache/node-<major>-results.json.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installNode } from './nodes.mjs';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

const MAJORS = [20, 22, 24];

await prepare();
const running = Number(process.versions.node.split('.')[0]);
for (const major of MAJORS.filter((other) => other !== running)) {
  const node = installNode(major);
  console.log(`Unit tests on Node ${major}`);
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--selectProjects', 'unit'];
  const results = ['--json', '--outputFile', join(root, `.cache/node-${major}-results.json`)];
  const run = spawnSync(node, ['--experimental-vm-modules', '--no-warnings', ...jest, ...results], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (run.status !== 0) process.exitCode = 1;
}
