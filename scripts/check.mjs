/**
 * `npm run check`: types, lint and format, import rules, schema lint, house tests; no database. Prints the time of each step, and the
 * output of failed ones. `npm run check -- --fix` first fixes what the tools can fix.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

const FOLDERS = ['src', 'facades', 'scripts', 'test'];
const RESULTS = join(root, '.cache/house-results.json');

/** Program in node_modules or in this project, its arguments, and options of node. */
const STEPS = {
  types: ['typescript7/bin/tsc', ['--noEmit', '--pretty', 'false']],
  'lint and format': [
    '@biomejs/biome/bin/biome',
    ['check', '--diagnostic-level=warn', '--error-on-warnings', '--max-diagnostics=100', '.'],
  ],
  imports: ['dependency-cruiser/bin/dependency-cruise.mjs', FOLDERS],
  'schema lint': ['../scripts/lint-schema.mjs', []],
  'house tests': [
    'jest/bin/jest.js',
    ['--selectProjects', 'house', '--json', '--outputFile', RESULTS],
    ['--experimental-vm-modules', '--no-warnings'],
  ],
};

await prepare({ compile: false });
mkdirSync(join(root, '.cache'), { recursive: true });
if (process.argv.includes('--fix')) await report('fix', ['@biomejs/biome/bin/biome', ['check', '--write', '.']]);
const failed = [];
await Promise.all(Object.entries(STEPS).map(async ([name, step]) => (await report(name, step)) || failed.push(name)));
writeFileSync(join(root, '.cache/check-results.json'), JSON.stringify(asTests(failed)));
console.log(failed.length ? `check failed: ${failed.join(', ')}` : 'check passed');
process.exitCode = failed.length ? 1 : 0;

/** Steps in jest's result format, for scripts/tally.mjs. The house tests write a file of their own. */
function asTests(failures) {
  const names = Object.keys(STEPS).filter((name) => name !== 'house tests');
  const status = (name) => (failures.includes(name) ? 'failed' : 'passed');
  return {
    testResults: [
      { name: 'npm run check', assertionResults: names.map((name) => ({ fullName: name, status: status(name) })) },
    ],
  };
}

async function report(name, step) {
  const start = performance.now();
  const { passed, output } = await run(step);
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} ${((performance.now() - start) / 1000).toFixed(1)} s`);
  if (!passed) console.log(output);
  return passed;
}

function run([program, words, nodeWords = []]) {
  return new Promise((resolve) => {
    const args = [...nodeWords, join(root, 'node_modules', program), ...words];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('close', (code) => resolve({ passed: code === 0, output: withoutResults(output) }));
  });
}

/** With --json, jest also prints its results. Removes them, because the file contains them. */
function withoutResults(output) {
  return output.replace(/^\{"numFailedTestSuites".*$/gm, '').trim();
}
