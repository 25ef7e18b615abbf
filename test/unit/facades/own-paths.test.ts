/** Tries a router only for paths that it may answer. */
import { expect, it } from '@jest/globals';
import { type Request, type Response, Router } from 'express';
import { onOwnPaths } from '../../../facades/web/site/own-paths.ts';

function answers(router: Router, path: string): { asked: boolean; found: boolean } {
  let asked = false;
  let found = false;
  const spy = Router();
  spy.use((_req, _res, next) => {
    asked = true;
    next();
  });
  const handle = router.stack;
  for (const { route } of handle)
    if (route)
      for (const layer of route.stack)
        layer.handle = () => {
          found = true;
        };
  const tried = Object.assign(
    (...args: [Request, Response, () => void]) => {
      asked = true;
      router(...args);
    },
    { stack: router.stack },
  ) as unknown as Router;
  onOwnPaths([tried])({ method: 'GET', url: path, path } as Request, {} as Response, () => {});
  return { asked, found };
}

const own = () => {
  const router = Router({ caseSensitive: true });
  for (const path of ['/', '/dataset', '/dataset/:name', '/dataset/:name/view', '/feeds/all.atom'])
    router.get(path, () => {});
  return router;
};

it.each([
  '/',
  '/dataset',
  '/dataset/',
  '/dataset/x',
  '/dataset/x/',
  '/dataset/%2F',
  '/dataset/x/view',
  '/feeds/all.atom',
])('%s is found', (path) => expect(answers(own(), path)).toEqual({ asked: true, found: true }));

it.each(['/group', '/dataset/x/view/y', '/Dataset', '/data%73et', '//dataset', '/user/x', '/feeds'])(
  '%s does not reach the router',
  (path) => expect(answers(own(), path)).toEqual({ asked: false, found: false }),
);

it.each(['/:name', '/files/*path', '/a{/b}', /^\/x/])('a router with the path %s is always tried', (path) => {
  const router = own();
  router.get(path, () => {});
  expect(answers(router, '/group/x/y').asked).toBe(true);
});

it('routers are tried in order, until one answers or fails', async () => {
  const asked: string[] = [];
  const named = (name: string, path: string, answer: (next: (failure?: unknown) => void) => void) => {
    const router = Router();
    router.get(path, (_req, _res, next) => {
      asked.push(name);
      answer(next);
    });
    return router;
  };
  const handle = onOwnPaths([
    named('other', '/group', () => {}),
    named('first', '/dataset/:name', (next) => next()),
    named('fails', '/dataset/broken', (next) => next(new Error('broken'))),
    named('answers', '/dataset/x', () => {}),
    named('any', '/:name/other', (next) => next()),
    named('last', '/dataset/:name', (next) => next()),
  ]);
  const ask = async (path: string) => {
    const left: unknown[] = [];
    asked.length = 0;
    handle({ method: 'GET', url: path, path } as Request, {} as Response, (failure?: unknown) => left.push(failure));
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate); // Express leaves routers in later turns of the event loop
    return { asked: [...asked], left };
  };
  expect(await ask('/dataset/x')).toEqual({ asked: ['first', 'answers'], left: [] });
  expect(await ask('/dataset/broken')).toEqual({ asked: ['first', 'fails'], left: [new Error('broken')] });
  expect(await ask('/dataset/other')).toEqual({ asked: ['first', 'any', 'last'], left: [undefined] });
  expect(await ask('/tag/other')).toEqual({ asked: ['any'], left: [undefined] });
  expect(await ask('/tag')).toEqual({ asked: [], left: [undefined] });
});
