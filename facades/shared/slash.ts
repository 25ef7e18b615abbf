/** Redirects addresses that end with a slash to those without, as the reference does. */
import type { RequestHandler } from 'express';
import { CORS } from './http.ts';

/** The path that a site lies below, without a slash at the end: `/data` of `https://example.org/data`; mostly empty. */
export const pathOfSite = (siteUrl: string): string => new URL(siteUrl).pathname.replace(/\/+$/, '');

/** A path with a slash at its end, and what stands before it. Two slashes, or a backslash, at the start would name another host. */
const SLASHED = /^(\/(?![/\\])[^?#]*[^/?#])\/(?=\?|$)/;

/** 301 for reads of any address, and for every method below `/api`. The query stays. `root` is the path that the site lies below. */
export const redirectSlash =
  (root: string): RequestHandler =>
  (req, res, next) => {
    const path = SLASHED.exec(req.originalUrl)?.[1];
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (path === undefined || !(isRead || path.startsWith('/api'))) return next();
    res.set(CORS).redirect(301, root + path + req.originalUrl.slice(path.length + 1));
  };
