/** Bundles GraphiQL and its workers for the browser into dist/graphiql/. Skips it when packages and this script are unchanged. */
import { join } from 'node:path';
import { hashOf, readOr, root, withLock, writeStamp } from './stamp.mjs';

const FOLDER = 'dist/graphiql';
/** Contains the hash of the inputs, which is also the version in the URLs of the files. */
const STAMP = `${FOLDER}/stamp`;
const PACKAGES = ['graphiql', '@graphiql/react', '@graphiql/toolkit', 'graphql', 'monaco-editor', 'react', 'esbuild'];

/** Sets the globals that facades/web/graphiql.page.ts uses. Workers are files beside the script. */
const ENTRY = `
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const { src } = document.currentScript;
const fileOf = (language) => (language === 'graphql' || language === 'json' ? language : 'editor') + '.worker.js';
globalThis.MonacoEnvironment = {
  globalAPI: true, // scripts reach the editors by "monaco"
  getWorker: (_, language) => new Worker(new URL(fileOf(language), src)),
};
Object.assign(globalThis, { GraphiQL, createElement, createGraphiQLFetcher, createRoot });
`;

const stamp = () => hashOf(['scripts/graphiql.mjs', ...PACKAGES.map((name) => `node_modules/${name}/package.json`)]);

/** Updates dist/graphiql/. Returns whether it has changed. */
export async function bundleGraphiql() {
  if (readOr(STAMP, '') === stamp()) return false;
  return withLock('graphiql', async () => {
    if (readOr(STAMP, '') === stamp()) return false;
    const { build } = await import('esbuild');
    const options = {
      absWorkingDir: root,
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      define: { 'process.env.NODE_ENV': '"production"' },
      loader: { '.ttf': 'dataurl' },
      legalComments: 'none',
      logLevel: 'error',
    };
    await Promise.all([
      build({ ...options, stdin: { contents: ENTRY, resolveDir: root }, outfile: join(root, FOLDER, 'graphiql.js') }),
      build({
        ...options,
        entryPoints: {
          'editor.worker': 'monaco-editor/esm/vs/editor/editor.worker.js',
          'graphql.worker': 'monaco-graphql/esm/graphql.worker.js',
          'json.worker': 'monaco-editor/esm/vs/language/json/json.worker.js',
        },
        outdir: join(root, FOLDER),
      }),
    ]);
    writeStamp(STAMP, stamp());
    return true;
  });
}
