/** Routes of the contract's Model, Search and Util interfaces: `/api/1`, `/api/2`, `/api` (version 1), and some of `/api/3`. */
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { JSON_TYPE, sendText } from '../shared/http.ts';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';
import { prefixOf } from '../shared/locale.ts';
import { pathOfSite } from '../shared/slash.ts';
import type { Row } from './define.ts';
import { createLegacyHandler, type LegacyOptions, sendBadRequest } from './handler.ts';
import { rows } from './rows/index.ts';

/** Paths below `/api`. */
const VERSIONS: readonly (readonly [string, LegacyVersion])[] = [
  ['/1', 1],
  ['/2', 2],
  ['', 1],
  ['/3', 3],
];

/** Registers of the interfaces. Not every register supports every operation. */
const REGISTERS = [
  'package',
  'dataset',
  'resource',
  'tag',
  'group',
  'related',
  'revision',
  'licenses',
  'rating',
  'user',
  'activity',
];

const METHODS: Readonly<Record<Row['method'], readonly ('get' | 'post' | 'put' | 'delete')[]>> = {
  GET: ['get'],
  POST: ['post'],
  PUT: ['put', 'post'], // by the contract a PUT may be sent as POST
  DELETE: ['delete'],
  FORM: ['get', 'post'],
  QUERY: ['get', 'post'],
};

export function legacyRouter(options: LegacyOptions): Router {
  const handle = createLegacyHandler(options);
  const root = pathOfSite(options.siteUrl);
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/package/:name', (req, res) => {
    const language = prefixOf(req);
    res.redirect(302, `${root}${language && `/${language}`}/dataset/${encodeURIComponent(req.params.name as string)}`);
  });
  const api = Router({ caseSensitive: true });
  // HEAD is 404, as recorded.
  api.use((req, _res, next) => next(req.method === 'HEAD' ? 'router' : undefined));
  for (const [path, version] of VERSIONS) api.use(path, versionRouter(handle, `/api${path}`, version));
  router.use('/api', api);
  return router;
}

/** Routes of one prefix, in a separate router, so that a request is matched with the routes of its version only. */
function versionRouter(handle: ReturnType<typeof createLegacyHandler>, prefix: string, version: LegacyVersion): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const row of rows) {
    if (version === 3 && row.method !== 'QUERY') continue;
    const paths = [row.path, ...(row.path.includes('/dataset') ? [row.path.replace('/dataset', '/package')] : [])];
    const answer = (req: Request, res: Response, next: (failure?: unknown) => void) =>
      void handle(req, res, row, { prefix, version, path: req.params as Record<string, string> }).catch(next);
    for (const method of METHODS[row.method]) router[method](paths, answer);
  }
  if (version !== 3) refuseRest(router);
  router.get('/search/:register', (req, res) =>
    sendText(res, 404, JSON_TYPE, JSON.stringify(`Not found - Unknown register: ${req.params.register}`)),
  );
  return router;
}

/** Refuses operations that a register does not support, with the messages that clients know. */
function refuseRest(router: Router): void {
  const refuse =
    (words: string, after = '') =>
    (req: Request, res: Response, next: (failure?: unknown) => void) =>
      REGISTERS.includes(req.params.register as string)
        ? sendBadRequest(res, `Cannot ${words} entity of this type: ${req.params.register}${after}`)
        : next();
  router.get('/rest/:register', refuse('list'));
  router.post('/rest/:register', refuse('create new', ' None'));
  router.get('/rest/:register/:id', refuse('read'));
  router.put('/rest/:register/:id', refuse('update'));
  router.post('/rest/:register/:id', refuse('update'));
  router.delete('/rest/:register/:id', refuse('delete', ' '));
}

/** Answers unknown paths below `/api` with 404 in JSON, for every client. Mounted after all interfaces. */
export const nothingInApi: RequestHandler = (req, res, next) => {
  if (!/^\/api(\/|$)/.test(req.path)) return next();
  sendText(res, 404, JSON_TYPE, JSON.stringify('Not found - No such page'));
};
