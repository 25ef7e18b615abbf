/** Serves the style sheet and the logo of the theme, and the images and fonts of its folder `files`. */
import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Router } from 'express';
import { notFound } from '../../../src/kernel/errors.ts';
import { type Packed, pack, sendPacked } from '../../shared/packed.ts';
import type { Theme } from './theme.ts';
import { THEME_PATH, type ThemeFile } from './theme-files.ts';

const CACHE = 'public, max-age=60';
const MAX_SIZE = 2 ** 20;
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.(svg|png|jpg|webp|ico|woff2)$/;
const TYPES: Readonly<Record<string, string>> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
};
/** Packed files that are cached, with at most 1 MiB each. A file that changes is read again. */
const MAX_CACHED = 20;
/** Drawings can have scripts, which must not run when a browser opens the drawing. */
const NO_SCRIPTS = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function themeRouter(folder: string | null, theme: () => Theme): Router {
  const router = Router({ caseSensitive: true });
  const packed = new WeakMap<ThemeFile, Promise<Packed>>();
  const files = new Map<string, Stored>();
  router.use(THEME_PATH, (_req, res, next) => {
    res.setHeader('content-security-policy', NO_SCRIPTS);
    next();
  });
  // Old addresses get the current content: pages that caches store link to them.
  router.get(`${THEME_PATH}/:file`, (req, res, next) => {
    const { css, logo } = theme();
    const file = String(req.params.file).endsWith('.css') ? css : logo;
    if (file === null) return next();
    const its = packed.get(file) ?? pack(file.type, file.content);
    packed.set(file, its);
    its.then((content) => sendPacked(req, res, content, CACHE)).catch(next);
  });
  router.get(`${THEME_PATH}/files/:file`, (req, res, next) => {
    const name = String(req.params.file);
    const ending = NAME.exec(name)?.[1];
    if (folder === null || ending === undefined) return next();
    packFileIn(join(folder, 'files'), name, TYPES[ending]!, files)
      .then((content) => sendPacked(req, res, content, CACHE))
      .catch(() => next());
  });
  return router;
}

/** A packed file, and the state of the folder in which it was read. */
export interface Stored {
  /** Changes with the content of the file. */
  readonly stamp: string;
  readonly content: Packed;
}

/** `files`: those that are cached. @throws Error without the file, for one that is too large, and for one outside of the folder */
export async function packFileIn(
  folder: string,
  name: string,
  type: string,
  files: Map<string, Stored>,
): Promise<Packed> {
  const path = await realpath(join(folder, name)).catch(() => null);
  const isWithin = path?.startsWith((await realpath(folder)) + sep);
  const found = isWithin ? await stat(path!) : null;
  if (!found?.isFile() || found.size > MAX_SIZE) throw notFound('no such file.');
  const stamp = `${path} ${found.mtimeMs} ${found.ctimeMs} ${found.size} ${found.ino}`;
  const stored = files.get(name);
  if (stored?.stamp === stamp) return stored.content;
  const content = await pack(type, await readFile(path!));
  files.delete(name);
  files.set(name, { stamp, content });
  if (files.size > MAX_CACHED) files.delete(files.keys().next().value as string);
  return content;
}
