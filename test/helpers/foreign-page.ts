/** A page of another origin, with a script bundled by esbuild. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installNpm } from '../../scripts/npm.mjs';

export interface ForeignPage {
  readonly url: string;
  close(): void;
}

const HTML = '<!doctype html><title>Page</title><link rel="icon" href="data:,"><script src="page.js"></script>';

/** Bundles a script of a folder, whose `node_modules` has the packages, and serves a page with it. */
export async function serveForeignPage(folder: string, script: string): Promise<ForeignPage> {
  const esbuild = join(await installNpm({ esbuild: '0.28.2' }), 'node_modules/esbuild/bin/esbuild');
  const options = ['--bundle', '--format=iife', '--outfile=page.js', '--define:process.env.NODE_ENV="production"'];
  await promisify(execFile)(esbuild, [script, ...options], { cwd: folder });
  const bundle = readFileSync(join(folder, 'page.js'));
  const server = createServer((req, res) => {
    const isScript = req.url === '/page.js';
    res.setHeader('content-type', isScript ? 'text/javascript;charset=utf-8' : 'text/html;charset=utf-8');
    res.end(isScript ? bundle : HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
