/** Node's module hooks for tests: compile TypeScript, and resolve '@jest/globals' to that of the running file. */
import { fileURLToPath } from 'node:url';
import { compiled } from './compile.mjs';

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
