/** Maps stack traces of failures to the sources. Other stack traces keep compiled positions, because they are not printed. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sourceMapOf } from './compile.mjs';

const PLACE = /(file:[^\s()]+?\.tsx?)(?:\?run=\d+)?:(\d+):(\d+)/g;
const maps = new Map();

/** A text with its positions in compiled files replaced by those in the sources. */
export const withSources = (text) =>
  text?.replace(PLACE, (_, url, line, column) => {
    const file = fileURLToPath(url);
    const { originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    return originalLine === undefined
      ? `${file}:${line}:${column}`
      : `${file}:${originalLine + 1}:${originalColumn + 1}`;
  });

/** Maps the stack of an error, and those of its causes. */
export function placeStack(thrown, done = new Set()) {
  if (typeof thrown !== 'object' || thrown === null || done.has(thrown)) return;
  done.add(thrown);
  try {
    if (typeof thrown.stack === 'string') thrown.stack = withSources(thrown.stack);
  } catch {
    // a frozen error keeps its stack
  }
  for (const inner of [thrown.cause, ...(Array.isArray(thrown.errors) ? thrown.errors : [])]) placeStack(inner, done);
}

/** @returns undefined if the file changed after it was compiled */
function mapOf(file) {
  if (!maps.has(file)) {
    try {
      maps.set(file, new SourceMap(JSON.parse(readFileSync(sourceMapOf(file), 'utf8'))));
    } catch {
      maps.set(file, undefined);
    }
  }
  return maps.get(file);
}
