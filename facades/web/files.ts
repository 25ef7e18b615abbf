/** Serves a page and its files out of installed packages: nothing comes from other hosts, and no script stands in the page. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { sendText } from '../shared/http.ts';
import { hashOf, type Packed, pack, sendPacked } from '../shared/packed.ts';

const require = createRequire(import.meta.url);

export const JAVASCRIPT = 'text/javascript;charset=utf-8';
export const CSS = 'text/css;charset=utf-8';

export interface PageOptions {
  /** Where the page itself is, without a slash at the end. */
  readonly address: string;
  /** Where its files are, with slashes around. */
  readonly prefix: string;
  /** The package that most of it is of: its version stands in the address of the files. */
  readonly package: string;
  /** Name below the folder of files → type, and where its text comes from. */
  readonly files: Readonly<Record<string, { readonly type: string; readonly read: () => string }>>;
  /** Texts of our own among the files. */
  readonly own: string;
  /** The page, given the folder of its files as the page sees it; made for every request. */
  readonly html: (folder: string) => string;
}

export interface Page {
  /** True for the page's own address and for its files. */
  owns(url: string | undefined): boolean;
  /** Answers a request for the page or one of its files. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  page(req: IncomingMessage, res: ServerResponse): void;
}

/** Scripts and data are our own; the pages set style attributes themselves, and fonts and pictures lie in their style sheets. */
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

/** The page. Its files have their version in their address and never change under it. */
export function createPage({ address, prefix, package: name, files, own, html }: PageOptions): Page {
  const version = `${(require(`${name}/package.json`) as { version: string }).version}-${hashOf(own)}`;
  const depth = '../'.repeat(address.split('/').length - 2);
  const folder = `${depth}${prefix.slice(1)}${version}`;
  const packed = new Map<string, Promise<Packed>>();

  function page(_req: IncomingMessage, res: ServerResponse): void {
    sendText(res, 200, 'text/html;charset=utf-8', html(folder), {
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
    if (!path.startsWith(prefix)) return page(req, res);
    const [asked, file = ''] = path.slice(prefix.length).split('/');
    if (asked !== version || !Object.hasOwn(files, file))
      return sendText(res, 404, 'text/plain;charset=utf-8', 'Not found\n');
    if (!packed.has(file)) packed.set(file, pack(files[file]!.type, files[file]!.read()));
    sendPacked(req, res, await packed.get(file)!, 'public, max-age=31536000, immutable');
  }

  const owns = (url = '') => url.split('?', 1)[0] === address || url.startsWith(prefix);
  return { owns, handle, page };
}

/** A file of an installed package: 'name/path'. Its source map is not served, so it is not named either. */
export function fromPackage(file: string): string {
  const [name = '', ...path] = file.split('/');
  const text = readFileSync(join(dirname(require.resolve(`${name}/package.json`)), ...path), 'utf8');
  return text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, '\n');
}

export const toHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
