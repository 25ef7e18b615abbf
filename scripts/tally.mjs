/**
 * Adds up jest's result files (given as arguments), lists the slowest test files, and prints a last line, `N passed, N failed`. A missing
 * result file, a test file that did not run, and under CI=true a skipped test count as failures. Exits with 1 when any failed.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const SLOWEST_FILES = 20;

let passed = 0;
const failures = [];
const skipped = [];
const durations = [];

for (const file of process.argv.slice(2)) {
  const results = read(file);
  if (results === null) failures.push(`${file}: no results`);
  for (const { name: path, message, assertionResults, status, startTime, endTime } of results?.testResults ?? []) {
    const name = path.startsWith('/') ? relative(process.cwd(), path) : path;
    if (endTime > startTime) durations.push({ name, seconds: (endTime - startTime) / 1000 });
    if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed'))
      failures.push(`${name}: ${message}`);
    for (const { fullName, status: outcome } of assertionResults) {
      if (outcome === 'passed') passed += 1;
      else if (outcome === 'failed') failures.push(`${name}: ${fullName}`);
      else skipped.push(`${name}: ${fullName}`);
    }
  }
}

durations.sort((one, other) => other.seconds - one.seconds);
if (durations.length > 0) console.log('Slowest test files:');
for (const { name, seconds } of durations.slice(0, SLOWEST_FILES))
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
for (const test of skipped) console.log(`skipped: ${test}`);
if (process.env.CI === 'true') failures.push(...skipped);
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length ? 1 : 0;

function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
