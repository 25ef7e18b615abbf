/** Jest reporter: lists the slowest test files after a run of many files, and stores the seconds of all for the order of the next run. */
import { keepSeconds } from './seconds.mjs';

const COUNT = 20;

export default class Slowest {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length <= COUNT) return; // a single file also loads shared modules
    keepSeconds(timed(testResults));
    process.stderr.write(`\n${slowest(testResults)}\n`);
  }
}

/** The text of the report. */
export function slowest(testResults, root) {
  const files = timed(testResults, root)
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, COUNT)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
  return ['Slowest test files:', ...files].join('\n');
}

const timed = (testResults, root = process.cwd()) =>
  testResults
    .filter(({ perfStats }) => perfStats.end > perfStats.start)
    .map(({ testFilePath, perfStats }) => ({
      name: testFilePath.replace(`${root}/`, ''),
      seconds: (perfStats.end - perfStats.start) / 1000,
    }));
