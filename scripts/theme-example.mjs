/** Writes the theme of docs/how-to/make-a-theme.md to a folder: each file is a code block below its path. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './stamp.mjs';

const FILE = /^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm;

/** The paths that were written. */
export function writeThemeExample(folder) {
  const page = readFileSync(join(root, 'docs/how-to/make-a-theme.md'), 'utf8');
  return [...page.matchAll(FILE)].map(([, path, content]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return path;
  });
}
