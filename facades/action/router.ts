import express, { type Router } from 'express';
import type { Endpoint } from '../shared/endpoint.ts';
import { JSON_TYPE, sendText } from '../shared/http.ts';
import { type ActionOptions, createActionHandler } from './handler.ts';

const PATH = /^\/api\/(?:3\/)?action\/([^/?]+)(?:\?|$)/;

/** Old sites prefix paths with a language. The API is identical in all languages. */
const LOCALE = /^\/[a-z]{2}(?:_[A-Z]{2})?(?=\/api(?:\/|\?|$))/;

/** Methods of actions. HEAD is handled like GET, without the body. */
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'POST']);

/** Action name in a request line; otherwise null. */
const nameIn = (url: string | undefined): string | null =>
  url?.startsWith('/api/') ? (PATH.exec(url)?.[1] ?? null) : null;

/** Routes of the Action API: GET, HEAD and POST on both paths. PUT and DELETE return 404 as in the reference, OPTIONS returns 200. */
export function actionRouter(options: ActionOptions): { router: Router; endpoint: Endpoint } {
  const handle = createActionHandler(options);
  const router = express.Router({ caseSensitive: true, strict: true });
  router.use((req, _res, next) => {
    req.url = req.url.replace(LOCALE, '');
    next();
  });
  router.all(['/api/action/:name', '/api/3/action/:name'], (req, res, next) => {
    if (!METHODS.has(req.method)) return next();
    void handle(req, res, req.params.name as string).catch(next);
  });
  for (const [path, version] of [
    ['/api', 1],
    ['/api/1', 1],
    ['/api/2', 2],
    ['/api/3', 3],
  ] as const) {
    router.get(path, (_req, res) => sendText(res, 200, JSON_TYPE, JSON.stringify({ version })));
  }
  const endpoint: Endpoint = {
    owns: (url, method) => METHODS.has(method) && nameIn(url) !== null,
    handle: (req, res) => handle(req, res, nameIn(req.url) as string),
  };
  return { router, endpoint };
}

/** Fallback for unknown paths below `/api`: a JSON error for every client. */
export const nothingInApi: RequestHandler = (req, res, next) => {
  if (!/^\/api(\/|$)/.test(req.path)) return next();
  sendText(res, 404, JSON_TYPE, JSON.stringify('Not found - No such page'));
};
