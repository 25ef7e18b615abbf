/**
 * Skips routers that have no route for a path. Express tries all routes of each router, and leaves it in another turn of the event loop: a
 * tenth of the CPU of a page.
 */
import type { RequestHandler, Router } from 'express';

/** First segment and number of segments; a slash at the end does not count. */
function shapeOf(path: string): string {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length;
  const parts = path.slice(1, end).split('/');
  return `${parts.length} ${parts[0]}`;
}

/** A path of which each segment matches one segment, and the first only itself. */
const PLAIN = /^\/(?:[\w.~-]+(?:\/[\w.~:-]+)*)?$/;

/** Shapes of all paths that the router can match. Null if they are not known. */
function shapesOf({ stack }: Router): ReadonlySet<string> | null {
  const paths = stack.flatMap(({ route }): unknown[] => (route ? [route.path].flat() : [null]));
  return paths.every((path) => typeof path === 'string' && PLAIN.test(path))
    ? new Set(paths.map((path) => shapeOf(path as string)))
    : null;
}

/** The router for paths that it may have, and nothing for others. Call it after the last route was added. */
export function onOwnPaths(router: Router): RequestHandler {
  const shapes = shapesOf(router);
  return shapes === null
    ? router
    : (req, res, next) => (shapes.has(shapeOf(req.path)) ? router(req, res, next) : next());
}
