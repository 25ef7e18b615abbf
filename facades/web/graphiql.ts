/** Serves the GraphiQL page and its files out of the installed packages: nothing comes from other hosts, and no script stands in the page. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sendText } from '../shared/http.ts';
import { PAGE_CSS, PAGE_JS, pageOf } from './graphiql.page.ts';

const require = createRequire(import.meta.url);

const JAVASCRIPT = 'text/javascript;charset=utf-8';
const CSS = 'text/css;charset=utf-8';

/** Name below the static folder → type and where the text comes from. */
const FILES: Readonly<Record<string, { type: string; read: () => string }>> = {
  'react.js': { type: JAVASCRIPT, read: () => fromPackage('react/umd/react.production.min.js') },
  'react-dom.js': { type: JAVASCRIPT, read: () => fromPackage('react-dom/umd/react-dom.production.min.js') },
  'graphiql.js': { type: JAVASCRIPT, read: () => fromPackage('graphiql/graphiql.min.js') },
  'graphiql.css': { type: CSS, read: () => fromPackage('graphiql/graphiql.min.css') },
  'page.js': { type: JAVASCRIPT, read: () => PAGE_JS },
  'page.css': { type: CSS, read: () => PAGE_CSS },
};

/** The editor colours text by style attributes that it sets itself, and its fonts lie in its style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PREFIX = '/static/graphiql/';

export interface Graphiql {
  /** True for the page's own address and for its files. */
  owns(url: string | undefined): boolean;
  /** Answers a request for the page or one of its files. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  page(req: IncomingMessage, res: ServerResponse): void;
}

/** The page under the site's title. Its files have their version in their address and never change under it. */
export function createGraphiql(title: string): Graphiql {
  const version = `${(require('graphiql/package.json') as { version: string }).version}-${hashOf(PAGE_JS + PAGE_CSS)}`;
  const html = pageOf(title, `${PREFIX.slice(1)}${version}`);
  const packed = new Map<string, Promise<Packed>>();

  function page(_req: IncomingMessage, res: ServerResponse): void {
    sendText(res, 200, 'text/html;charset=utf-8', html, {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      vary: 'Accept',
    });
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? '').split('?', 1)[0] as string;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return sendText(res, 405, 'text/plain;charset=utf-8', 'GET only\n', { allow: 'GET, HEAD' });
    if (!path.startsWith(PREFIX)) return page(req, res);
    const [asked, name = ''] = path.slice(PREFIX.length).split('/');
    if (asked !== version || !Object.hasOwn(FILES, name))
      return sendText(res, 404, 'text/plain;charset=utf-8', 'Not found\n');
    if (!packed.has(name)) packed.set(name, pack(name));
    sendFile(req, res, FILES[name]!.type, await packed.get(name)!);
  }

  return { owns: (url = '') => /^\/graphiql(\?|$)/.test(url) || url.startsWith(PREFIX), handle, page };
}

interface Packed {
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

async function pack(name: string): Promise<Packed> {
  const plain = Buffer.from(FILES[name]!.read());
  return { plain, zipped: await promisify(gzip)(plain) };
}

function sendFile(req: IncomingMessage, res: ServerResponse, type: string, { plain, zipped }: Packed): void {
  const zip = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
  const body = zip ? zipped : plain;
  res.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    vary: 'Accept-Encoding',
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=31536000, immutable',
    ...(zip && { 'content-encoding': 'gzip' }),
  });
  res.end(body);
}

/** A file of an installed package: 'name/path'. Its source map is not served, so it is not named either. */
function fromPackage(file: string): string {
  const [name = '', ...path] = file.split('/');
  const text = readFileSync(join(dirname(require.resolve(`${name}/package.json`)), ...path), 'utf8');
  return text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
