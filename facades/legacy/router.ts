/** `/api/1`, `/api/2` and `/api` (which is 1): the Model, Search and Util interfaces of the contract. */
import { type Request, type Response, Router } from 'express';
import { JSON_TYPE, sendText } from '../shared/http.ts';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';
import type { Row } from './define.ts';
import { createLegacyHandler, type LegacyOptions, sendBadRequest } from './handler.ts';
import { rows } from './rows/index.ts';

const PREFIXES: readonly (readonly [string, LegacyVersion])[] = [
  ['/api/1', 1],
  ['/api/2', 2],
  ['/api', 1],
  ['/api/3', 3],
];

/** Registers that the interfaces know, though not everything can be done with each. */
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
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/package/:name', (req, res) => {
    res.redirect(302, `/dataset/${encodeURIComponent(req.params.name as string)}`);
  });
  // HEAD is 404, as recorded; and whatever is none of ours should not walk along all addresses
  router.use((req, _res, next) => (req.method === 'HEAD' || !req.path.startsWith('/api/') ? next('router') : next()));
  for (const [prefix, version] of PREFIXES) {
    for (const row of rows) {
      if (version === 3 && row.method !== 'QUERY') continue;
      const paths = [row.path, ...(row.path.includes('/dataset') ? [row.path.replace('/dataset', '/package')] : [])];
      const answer = (req: Request, res: Response, next: (failure?: unknown) => void) =>
        void handle(req, res, row, { prefix, version, path: req.params as Record<string, string> }).catch(next);
      for (const method of METHODS[row.method])
        router[method](
          paths.map((path) => prefix + path),
          answer,
        );
    }
    if (version !== 3) refuseRest(router, `${prefix}/rest`);
    router.get(`${prefix}/search/:register`, (req, res) =>
      sendText(res, 404, JSON_TYPE, JSON.stringify(`Not found - Unknown register: ${req.params.register}`)),
    );
  }
  return router;
}

/** What the registers do not offer is said in the words that clients know. */
function refuseRest(router: Router, path: string): void {
  const refuse =
    (words: string, after = '') =>
    (req: Request, res: Response, next: (failure?: unknown) => void) =>
      REGISTERS.includes(req.params.register as string)
        ? sendBadRequest(res, `Cannot ${words} entity of this type: ${req.params.register}${after}`)
        : next();
  router.get(`${path}/:register`, refuse('list'));
  router.post(`${path}/:register`, refuse('create new', ' None'));
  router.get(`${path}/:register/:id`, refuse('read'));
  router.put(`${path}/:register/:id`, refuse('update'));
  router.post(`${path}/:register/:id`, refuse('update'));
  router.delete(`${path}/:register/:id`, refuse('delete', ' '));
}
