/** Node's module hooks for tests: TypeScript is compiled by swc, into .cache/tests; '@jest/globals' is that of the running file. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const CACHE = fileURLToPath(new URL('../../.cache/tests/', import.meta.url));
const COMPILER = createRequire(import.meta.url)('@swc/core/package.json').version;
const OWN = readFileSync(new URL(import.meta.url), 'utf8');

mkdirSync(CACHE, { recursive: true });

export function resolve(specifier, context, next) {
  if (specifier !== '@jest/globals') return next(specifier, context);
  return { url: new URL('./globals.mjs', import.meta.url).href, shortCircuit: true };
}

export function load(url, context, next) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'file:' || !/\.tsx?$/.test(pathname) || pathname.includes('/node_modules/'))
    return next(url, context);
  return { format: 'module', source: compiled(fileURLToPath(`file://${pathname}`)), shortCircuit: true };
}

function compiled(file) {
  const source = readFileSync(file, 'utf8');
  const hash = createHash('sha256').update(`${COMPILER}\0${OWN}\0${file}\0${source}`).digest('hex');
  const cached = join(CACHE, hash);
  try {
    return readFileSync(cached, 'utf8');
  } catch {
    const code = compile(file, source);
    writeFileSync(`${cached}.${process.pid}`, code);
    renameSync(`${cached}.${process.pid}`, cached); // other workers read it at the same time
    return code;
  }
}

const compile = (file, source) =>
  transformSync(source, {
    filename: file,
    sourceFileName: file,
    sourceMaps: 'inline',
    swcrc: false,
    configFile: false,
    isModule: true,
    jsc: {
      parser: { syntax: 'typescript', tsx: file.endsWith('.tsx') },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      target: 'es2023',
    },
    module: { type: 'es6' },
  }).code;
