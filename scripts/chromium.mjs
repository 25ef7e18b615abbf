/**
 * Finds a Chromium for browser tests, and installs one when possible and requested. `node scripts/chromium.mjs` prints its path, or the
 * reason why there is none.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const MAC = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of an installed browser (`CHROMIUM_PATH`, the search path, the usual locations); null when missing. */
function findChromium(env = process.env) {
  if (env.CHROMIUM_PATH) return isProgram(env.CHROMIUM_PATH) ? env.CHROMIUM_PATH : null;
  const folders = (env.PATH ?? '').split(delimiter).filter(Boolean);
  const places = [
    ...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...(process.platform === 'darwin' ? MAC : []),
  ];
  return places.find(isProgram) ?? null;
}

/** The same, but under `CI=true` and as root on Debian or Ubuntu it installs the distribution's package first when missing. */
export function ensureChromium(env = process.env) {
  const found = findChromium(env);
  if (found || env.CI !== 'true' || process.platform !== 'linux' || process.getuid?.() !== 0) return found;
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ]) {
    const { status, error } = spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    if (error || status !== 0) return null;
  }
  return findChromium(env);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = ensureChromium();
  if (path) console.log(path);
  else {
    console.error('No Chromium found. Install the package "chromium", or set CHROMIUM_PATH.');
    process.exitCode = 1;
  }
}
