/** Change detection for build steps, and a lock per step that excludes concurrent runs. Needs no package. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** The checkout's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

/** Files below `folder` (relative to the checkout) whose name `wanted` accepts, sorted; none when the folder is missing. */
export function filesBelow(folder, wanted) {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && wanted(entry.name))
      .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
      .sort();
  } catch (thrown) {
    if (thrown.code === 'ENOENT') return [];
    throw thrown;
  }
}

/** Hash of the names and contents of files. */
export function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readOr(file, 'missing')).update('\0');
  return hash.digest('hex');
}

/** Text of a file of the checkout, or `fallback` when it is missing. */
export function readOr(file, fallback) {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return fallback;
  }
}

export function writeStamp(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

/** Runs `work` while no other process runs work of the same name in this checkout. Takes over the lock of a dead process. */
export async function withLock(name, work) {
  const file = join(root, '.cache', `${name}.lock`);
  mkdirSync(dirname(file), { recursive: true });
  while (!take(file)) await sleep(50);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (thrown) {
    if (thrown.code !== 'EEXIST') throw thrown;
    if (abandoned(file)) rmSync(file, { force: true });
    return false;
  }
}

function abandoned(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    if (holder > 0) return !alive(holder);
    return Date.now() - statSync(file).mtimeMs > 5_000; // created, but its process id was never written
  } catch {
    return false; // released in the meantime
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown.code === 'EPERM';
  }
}
