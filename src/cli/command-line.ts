/** Builds a `catalog …` command line that works in any folder and reaches the catalog of given settings. */
import { join } from 'node:path';
import { environmentOf } from '../kernel/config.ts';
import { projectRoot } from '../kernel/root.ts';
import type { Settings } from '../kernel/settings.ts';

export interface CommandLine {
  /** For a POSIX shell. */
  readonly command: string;
  /** Required variables with secret values. */
  readonly secret: readonly string[];
}

export function commandLine(settings: Settings, words: readonly string[]): CommandLine {
  const { variables, secret } = environmentOf(settings);
  const assignments = variables.map(([name, value]) => `${name}=${quoted(value)}`);
  const program = ['node', join(projectRoot, 'scripts/catalog.mjs'), ...words].map(quoted);
  return { command: [...assignments, ...program].join(' '), secret };
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
