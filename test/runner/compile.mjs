/** Compiles TypeScript for tests with swc, once per content. Caches code and source maps in .cache/tests. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const CACHE = fileURLToPath(new URL('../../.cache/tests/', import.meta.url));
const COMPILER = createRequire(import.meta.url)('@swc/core/package.json').version;
const OWN = readFileSync(new URL(import.meta.url), 'utf8');

/** The compiled code of a file. */
export function compiled(file) {
  const source = readFileSync(file, 'utf8');
  const cached = cachePath(file, source);
  try {
    return readFileSync(`${cached}.js`, 'utf8');
  } catch {
    const { code, map } = compile(file, source);
    mkdirSync(CACHE, { recursive: true });
    write(`${cached}.map`, map);
    write(`${cached}.js`, code);
    return code;
  }
}

/** Path of the source map of a compiled file. */
export const sourceMapOf = (file) => `${cachePath(file, readFileSync(file, 'utf8'))}.map`;

function cachePath(file, source) {
  return join(CACHE, createHash('sha256').update(`${COMPILER}\0${OWN}\0${file}\0${source}`).digest('hex'));
}

/** Writes by renaming, because other workers may read the file at the same time. */
function write(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}

const compile = (file, source) =>
  transformSync(source, {
    filename: file,
    sourceFileName: file,
    sourceMaps: true,
    swcrc: false,
    configFile: false,
    isModule: true,
    jsc: {
      parser: { syntax: 'typescript', tsx: file.endsWith('.tsx') },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      target: 'es2023',
    },
    module: { type: 'es6' },
  });
