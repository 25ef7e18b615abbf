/** Writes the places in the sources into stacks of failures. Other stacks keep those of the compiled code, because nobody reads them. */
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { sourceMapOf } from './compile.mjs';

const PLACE = /(file:[^\s()]+?\.tsx?)(?:\?run=\d+)?:(\d+):(\d+)/g;
const maps = new Map();

/** A text whose places in compiled files are places in their sources. */
export const withSources = (text) =>
  text?.replace(PLACE, (_, url, line, column) => {
    const file = fileURLToPath(url);
    const { originalLine, originalColumn } = mapOf(file)?.findEntry(line - 1, column - 1) ?? {};
    return originalLine === undefined
      ? `${file}:${line}:${column}`
      : `${file}:${originalLine + 1}:${originalColumn + 1}`;
  });

/** Does so with the stack of an error, and of those that caused it. */
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

/** @returns undefined where the file has changed since it was compiled */
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
