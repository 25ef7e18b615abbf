/** Compiles TypeScript for tests by swc, once per content: code and source map stay in .cache/tests. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const CACHE = fileURLToPath(new URL('../../.cache/tests/', import.meta.url));
const COMPILER = createRequire(import.meta.url)('@swc/core/package.json').version;
const OWN = readFileSync(new URL(import.meta.url), 'utf8');

/** The code of a file. */
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

/** Where the source map of a compiled file is. */
export const sourceMapOf = (file) => `${cachePath(file, readFileSync(file, 'utf8'))}.map`;

function cachePath(file, source) {
  return join(CACHE, createHash('sha256').update(`${COMPILER}\0${OWN}\0${file}\0${source}`).digest('hex'));
}

/** Renamed into place: other workers read it at the same time. */
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
