/** Serves a page and its files from installed packages, without other hosts and without inline scripts. */
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
  /** Path of the page, without a trailing slash. */
  readonly address: string;
  /** Path of its files, with slashes at both ends. */
  readonly prefix: string;
  /** Version of the package; it is part of the files' URLs. */
  readonly version: string;
  /** File name → media type, and a function that reads the content. */
  readonly files: Readonly<Record<string, { readonly type: string; readonly read: () => string }>>;
  /** Our own content among the files. */
  readonly own: string;
  /** Builds the page for each request, given the relative path of its files. */
  readonly html: (folder: string, req: IncomingMessage, res: ServerResponse) => Html | Promise<Html>;
}

export interface Html {
  readonly text: string;
  /** Whether the page depends on the user who is signed in. */
  readonly isPersonal: boolean;
}

export interface Page {
  /** True for the path of the page and of its files. */
  owns(url: string | undefined): boolean;
  /** Serves the page or one of its files. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  page(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

/** Scripts and requests are same-origin. The pages need style attributes, and data URLs for fonts and images in style sheets. */
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

/** The page. Its files have a version in their URL and never change. */
export function createPage({ address, prefix, version: packageVersion, files, own, html }: PageOptions): Page {
  const version = `${packageVersion}-${hashOf(own)}`;
  const depth = '../'.repeat(address.split('/').length - 2);
  const folder = `${depth}${prefix.slice(1)}${version}`;
  const packed = new Map<string, Promise<Packed>>();

  async function page(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { text, isPersonal } = await html(folder, req, res);
    sendText(res, 200, 'text/html;charset=utf-8', text, {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'cache-control': isPersonal ? 'private, no-store' : 'no-cache',
      'referrer-policy': 'no-referrer',
      vary: 'Accept, Cookie',
    });
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = (req.url ?? '').split('?', 1)[0] as string;
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return sendText(res, 405, 'text/plain;charset=utf-8', 'GET only\n', { allow: 'GET, HEAD' });
    if (!path.startsWith(prefix)) return page(req, res);
    const [requested, file = ''] = path.slice(prefix.length).split('/');
    if (requested !== version || !Object.hasOwn(files, file))
      return sendText(res, 404, 'text/plain;charset=utf-8', 'Not found\n');
    if (!packed.has(file)) packed.set(file, pack(files[file]!.type, files[file]!.read()));
    sendPacked(req, res, await packed.get(file)!, 'public, max-age=31536000, immutable');
  }

  const owns = (url = '') => url.split('?', 1)[0] === address || url.startsWith(prefix);
  return { owns, handle, page };
}

/** The version of an installed package. */
export const versionOf = (name: string): string => (require(`${name}/package.json`) as { version: string }).version;

/** A file of an installed package: 'name/path'. Removes the reference to its source map, which is not served. */
export function fromPackage(file: string): string {
  const [name = '', ...path] = file.split('/');
  const text = readFileSync(join(dirname(require.resolve(`${name}/package.json`)), ...path), 'utf8');
  return text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=.*\s*$/, '\n');
}

export const toHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
