/** Jest reporter: lists the slowest test files after a run of many files. */

const COUNT = 20;

export default class Slowest {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length > COUNT) process.stderr.write(`\n${slowest(testResults)}\n`);
  }
}

/** The lines of the report. */
export function slowest(testResults, root = process.cwd()) {
  const files = testResults
    .filter(({ perfStats }) => perfStats.end > perfStats.start)
    .map(({ testFilePath, perfStats }) => ({
      name: testFilePath.replace(`${root}/`, ''),
      seconds: (perfStats.end - perfStats.start) / 1000,
    }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, COUNT)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
  return ['Slowest test files:', ...files].join('\n');
}
