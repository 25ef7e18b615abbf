/**
 * Seconds that test files took: the last run in .cache, and the slowest files in seconds.json for fresh clones. `node
 * test/runner/seconds.mjs` writes the second from the first.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LAST = join(ROOT, '.cache/test-seconds.json');
const EXPECTED = join(ROOT, 'test/runner/seconds.json');
/** Minimum seconds of a file in seconds.json. */
const LEAST = 10;

/** Seconds by file, relative to the checkout. */
export const knownSeconds = () => ({ ...readJson(EXPECTED), ...readJson(LAST) });

/** Stores the seconds of files for the next run. */
export function keepSeconds(files) {
  const all = { ...readJson(LAST), ...Object.fromEntries(files.map(({ name, seconds }) => [name, seconds])) };
  mkdirSync(dirname(LAST), { recursive: true });
  writeFileSync(LAST, JSON.stringify(all));
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const slow = Object.entries(readJson(LAST))
    .filter(([, seconds]) => seconds >= LEAST)
    .sort(([, one], [, other]) => other - one)
    .map(([name, seconds]) => [name, Math.round(seconds)]);
  writeFileSync(EXPECTED, `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`);
}
