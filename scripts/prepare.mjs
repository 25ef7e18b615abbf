/**
 * Prepares a fresh clone to run: install, generate, build. Each step runs only after changes. `npm run build` is this program. Needs no
 * package itself.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hashOf, readOr, root, withLock, writeStamp } from './stamp.mjs';

const OLDEST_NODE = [20, 19];
const LOCK_STAMP = 'node_modules/.catalog-lock';

/**
 * Makes the checkout ready to run; with `compile: false` only ready to test. Reports slow steps to `say`. A failure ends the process with a
 * message.
 */
export async function prepare({ compile = true, say = console.error } = {}) {
  checkNode();
  try {
    await install(say);
  } catch (thrown) {
    fail(`The packages cannot be installed: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
  await step('generate', say, async () => (await (await import('./generate.mjs')).generate()).length);
  if (!compile) return;
  await step('build', say, async () => (await import('./build.mjs')).build());
  await step('GraphiQL', say, async () => (await import('./graphiql.mjs')).bundleGraphiql());
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const enough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (!enough) fail(`Node ${OLDEST_NODE.join('.')} or newer is required (this is ${process.version}).`);
}

/** Runs npm ci when packages are missing or the lock file changed. */
export async function install(say = console.error) {
  if (isInstalled()) return;
  await withLock('install', async () => {
    if (isInstalled()) return;
    say('Installing packages …');
    const [command, ...first] = npm();
    const run = spawnSync(command, [...first, 'ci', '--include=dev', '--no-audit', '--no-fund'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
    });
    if (run.status !== 0) fail(`npm ci failed${run.error ? `: ${run.error.message}` : ''}.`);
    writeStamp(LOCK_STAMP, lockHash());
  });
}

/** npm writes its hidden lock file last. If that is at least as new as package-lock.json, the user has run npm. */
function isInstalled() {
  const installed = mtime('node_modules/.package-lock.json');
  if (installed === 0) return false;
  if (readOr(LOCK_STAMP, '') === lockHash()) return true;
  if (installed < mtime('package-lock.json')) return false;
  try {
    writeStamp(LOCK_STAMP, lockHash());
  } catch {
    // only saves time: another user may own the checkout
  }
  return true;
}

const lockHash = () => hashOf(['package-lock.json']);
const mtime = (file) => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** The npm that runs this process, or the one on the path. */
function npm() {
  const running = process.env.npm_execpath;
  return running && basename(running).startsWith('npm-cli') ? [process.execPath, running] : ['npm'];
}

async function step(name, say, work) {
  const start = performance.now();
  try {
    const done = await work();
    if (done) say(`${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  } catch (thrown) {
    fail(`${name} failed:\n${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await prepare();
