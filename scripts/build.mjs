/** Compiles changed files of src/ and facades/ to dist/, and removes outputs without a source. Does not check types. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { filesBelow, hashOf, readOr, root, withLock } from './stamp.mjs';

const MANIFEST = 'dist/.manifest.json';

/** Updates dist/. Returns the number of compiled files. @throws Error with file and line */
export async function build() {
  if (isUpToDate(changes())) return 0;
  return withLock('build', async () => {
    const { sources, changed, removed } = changes();
    if (isUpToDate({ changed, removed })) return 0;
    refuseTwins(Object.keys(sources));
    const { transform } = await import('@swc/core');
    // Removes first: another source may now produce the same output.
    const made = new Set(Object.keys(sources).map(outputOf));
    for (const file of removed.filter((it) => !made.has(outputOf(it))))
      for (const suffix of ['', '.map']) rmSync(outputOf(file) + suffix, { force: true });
    await Promise.all(changed.map((file) => compile(transform, file)));
    write(join(root, MANIFEST), JSON.stringify(sources));
    return changed.length;
  });
}

const isUpToDate = ({ changed, removed }) => changed.length + removed.length === 0;

/** All sources with time and size, and the changed ones. A new compiler or build script changes all. */
function changes() {
  const isSource = (name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts');
  const sources = { '#build': hashOf(['scripts/build.mjs', 'node_modules/@swc/core/package.json']) };
  for (const file of [...filesBelow('src', isSource), ...filesBelow('facades', isSource)]) {
    const { mtimeMs, size } = statSync(join(root, file));
    sources[file] = `${mtimeMs} ${size}`;
  }
  const before = readManifest();
  const fresh = before['#build'] !== sources['#build'];
  const files = Object.keys(sources).filter((file) => file !== '#build');
  const removed = Object.keys(before).filter((file) => file !== '#build' && !(file in sources));
  const changed = files.filter((file) => fresh || before[file] !== sources[file]);
  return { sources, changed, removed };
}

function readManifest() {
  try {
    return JSON.parse(readOr(MANIFEST, '{}'));
  } catch {
    return {};
  }
}

/** Refuses x.ts beside x.tsx, because both compile to x.js. @throws Error naming them */
function refuseTwins(files) {
  const outputs = new Map();
  for (const file of files) {
    const other = outputs.get(outputOf(file));
    if (other) throw new Error(`${other} and ${file} compile to one file: rename one of them`);
    outputs.set(outputOf(file), file);
  }
}

async function compile(transform, file) {
  const from = join(root, file);
  const to = outputOf(file);
  const { code, map } = await transform(readFileSync(from, 'utf8'), {
    filename: from,
    sourceFileName: from,
    sourceMaps: true,
    swcrc: false,
    configFile: false,
    isModule: true,
    jsc: {
      parser: { syntax: 'typescript', tsx: file.endsWith('.tsx') },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      target: 'es2023',
      rewriteRelativeImportExtensions: true,
    },
    module: { type: 'es6' },
  });
  write(to, `${code}//# sourceMappingURL=${to.slice(dirname(to).length + 1)}.map\n`);
  write(`${to}.map`, map);
}

const outputOf = (file) => join(root, 'dist', file.replace(/\.tsx?$/, '.js'));

/** Writes by renaming, so that a program starting now never reads a partial file. */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
}
