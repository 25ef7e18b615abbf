/** Redirects URLs with a trailing slash to those without, as the reference does. */
import type { RequestHandler } from 'express';
import { CORS } from './http.ts';

/** Path of the site without a trailing slash: `/data` of `https://example.org/data`; usually empty. */
export const pathOfSite = (siteUrl: string): string => new URL(siteUrl).pathname.replace(/\/+$/, '');

/** A path and its trailing slash. Excludes paths that start with two slashes or a backslash, which would name another host. */
const SLASHED = /^(\/(?![/\\])[^?#]*[^/?#])\/(?=\?|$)/;

/** 301 for reads of any URL, and for every method below `/api`. Keeps the query. `root` is the path of the site. */
export const redirectSlash =
  (root: string): RequestHandler =>
  (req, res, next) => {
    const path = SLASHED.exec(req.originalUrl)?.[1];
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (path === undefined || !(isRead || path.startsWith('/api'))) return next();
    res.set(CORS).redirect(301, root + path + req.originalUrl.slice(path.length + 1));
  };
