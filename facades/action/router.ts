import express, { type Router } from 'express';
import type { Endpoint } from '../shared/endpoint.ts';
import { JSON_TYPE, sendText } from '../shared/http.ts';
import { type ActionOptions, createActionHandler } from './handler.ts';

const PATH = /^\/api\/(?:3\/)?action\/([^/?]+)(?:\?|$)/;

/** Old sites put the language in front of every path; the API says the same in all. */
const LOCALE = /^\/[a-z]{2}(?:_[A-Z]{2})?(?=\/api(?:\/|\?|$))/;

/** Methods of actions. HEAD is answered as GET is, without the body. */
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'POST']);

/** Name of the action in a request line, else null. */
const nameIn = (url: string | undefined): string | null =>
  url?.startsWith('/api/') ? (PATH.exec(url)?.[1] ?? null) : null;

/** The Action API's routes: GET, HEAD and POST on both paths; PUT and DELETE are 404 as in the field, OPTIONS is 200. */
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
