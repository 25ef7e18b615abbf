/** Starts a compiled program in this process, with stack traces that refer to the sources. */
import * as module from 'node:module';
import { join } from 'node:path';
import { root } from './stamp.mjs';

/** Imports a file of dist/. */
export async function launch(file) {
  process.env.NODE_ENV ??= 'production';
  process.setSourceMapsEnabled(true);
  module.enableCompileCache?.(join(root, '.cache/compiled')); // since Node 22.1
  await import(`../dist/${file}`);
}
