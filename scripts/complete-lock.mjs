/**
 * Completes package-lock.json when the registry lacks packages of some platforms. npm then omits the optional packages of other platforms,
 * and `npm ci` refuses the lock file ("Missing … from lock file"). Run it after every change of the lock file; it does not change a
 * complete one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stamp.mjs';

const SYSTEMS = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'openharmony', 'sunos', 'aix'];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'armv7l', 'arm', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el'];

const file = join(root, 'package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
const { packages } = lock;

/** Whether npm would find the package for the one installed at `at`: in its own node_modules or in a parent's. */
function isThere(at, name) {
  for (let folder = at; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (packages[`${folder ? `${folder}/` : ''}node_modules/${name}`]) return true;
    if (!folder) return false;
  }
}

/** An entry that only the platform in the package's name installs; wasm fallbacks match no platform. */
function entryOf(name, version, dev) {
  const system = name.includes('wasm') ? 'none' : (SYSTEMS.find((word) => name.includes(word)) ?? 'none');
  const named = PROCESSORS.find((word) => name.includes(`-${word}`)) ?? 'none';
  const processor = /-arm(-|$)|gnueabi|musleabi/.test(name) ? 'arm' : named;
  return { version, cpu: [processor], ...(dev && { dev: true }), optional: true, os: [system] };
}

const added = [];
for (const [at, { optionalDependencies = {}, dev }] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    const version = range.replace(/^[\^~]/, '');
    if (isThere(at, name) || !/^\d+\.\d+\.\d+/.test(version)) continue;
    packages[`node_modules/${name}`] = entryOf(name, version, dev);
    added.push(`${name}@${version}`);
  }
}

if (added.length > 0) {
  lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en')));
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(added.length ? `added:\n${added.join('\n')}` : 'the lock file is complete');
