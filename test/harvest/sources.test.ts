/** Sources of the Action API that are busy, broken, or mean no good; told by a real HTTP server. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AlreadyRunning, harvest } from '../../src/harvest/run/harvest.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../../src/harvest/source/source.service.ts';
import { type ElsewhereServer, serveElsewhere } from '../helpers/http.ts';
import { createWorld, type World } from '../helpers/world.ts';

type Query = Readonly<Record<string, string>>;
/** The result of an action, or whatever else is to be done. */
type Answers = (action: string, query: Query, res: ServerResponse) => unknown;

let world: World;
let server: ElsewhereServer;
let base: string;
let answers: Answers;
let asked: string[];
beforeAll(async () => {
  world = await createWorld();
  server = await serveElsewhere((req, res) => {
    const url = new URL(req.url!, 'http://x');
    const action = url.pathname.split('/').at(-1)!;
    asked.push(`${action}${url.search}`);
    const result = answers(action, Object.fromEntries(url.searchParams), res);
    if (res.writableEnded || res.destroyed) return;
    const found =
      result === undefined
        ? { success: false, error: { __type: 'Not Found Error', message: 'Not found' } }
        : { success: true, result };
    res.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ help: '', ...found }));
  });
  base = server.base;
}, 60_000);
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await server.stop();
  await world.end();
});

const call = () => world.app.callAs(world.system);
let count = 0;
const sourceOf = (more: object = {}): Promise<SourceRecord> => {
  count += 1;
  return sourceCreate(call(), { name: `source-${count}`, url: base, kind: 'CKAN', perSecond: 1_000, ...more });
};

async function run(source: SourceRecord, how: { full?: boolean; force?: boolean; signal?: AbortSignal } = {}) {
  const said: string[] = [];
  const options = {
    door: { actions: world.app.recordActions, call },
    databaseUrl: world.database.url,
    mayReachPrivate: true,
    pause: 5,
    ...how,
  };
  const ended = await harvest({
    ...options,
    source: await sourceShow(call(), source.id),
    onRemark: (line) => said.push(line),
  });
  return { ...ended, said };
}

interface Made {
  id: string;
  name: string;
  title: string;
  metadata_modified: string;
  [key: string]: unknown;
}
const dataset = (name: string, more: object = {}): Made => ({
  id: world.id(),
  name,
  title: name,
  type: 'dataset',
  state: 'active',
  metadata_modified: '2026-01-01T00:00:00.000000',
  resources: [],
  tags: [],
  extras: [],
  groups: [],
  ...more,
});

/** A catalog that answers as it should. */
const catalog =
  (list: Made[], odd: Answers = () => undefined): Answers =>
  (action, query, res) => {
    const found = odd(action, query, res);
    if (found !== undefined || res.writableEnded || res.destroyed) return found;
    if (action === 'package_search') {
      const from = /\[(\S+) TO/.exec(query.fq ?? '')?.[1]?.slice(0, 19) ?? '';
      const fit = list
        .filter((one) => one.metadata_modified >= from)
        .sort((a, b) =>
          a.metadata_modified < b.metadata_modified
            ? -1
            : a.metadata_modified > b.metadata_modified
              ? 1
              : a.name < b.name
                ? -1
                : 1,
        );
      return { count: fit.length, results: fit.slice(Number(query.start), Number(query.start) + Number(query.rows)) };
    }
    if (action === 'package_list') return list.map(({ name }) => name);
    if (action === 'package_show') return list.find(({ id, name }) => [id, name].includes(query.id!));
    return action.endsWith('_list') ? [] : undefined;
  };

const names = async (): Promise<string[]> => world.result('package_list');

describe('a source', () => {
  it('that is busy is asked again, as late as it says', async () => {
    const list = [dataset('busy-one')];
    let refusals = 0;
    answers = catalog(list, (action, _query, res) => {
      if (action !== 'package_search' || refusals >= 3) return undefined;
      refusals += 1;
      if (refusals === 2) res.destroy();
      else res.writeHead(refusals === 1 ? 429 : 503, { 'retry-after': refusals === 1 ? '1' : '0' }).end('busy');
      return undefined;
    });
    const before = Date.now();
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 1 });
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
    answers = (_action, _query, res) => res.writeHead(503, { 'retry-after': '86400' }).end();
    expect(await run(await sourceOf())).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('left alone'),
    });
    answers = (_action, _query, res) => res.writeHead(500).end('<h1>oh</h1>');
    expect(await run(await sourceOf())).toMatchObject({ state: 'failed', message: expect.stringContaining('no JSON') });
  }, 30_000);

  it('that moves while it is read is read whole, each dataset once', async () => {
    const list = Array.from({ length: 250 }, (_, n) =>
      dataset(`move-${String(n).padStart(3, '0')}`, {
        metadata_modified: `2026-01-01T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000000`,
      }),
    );
    let searches = 0;
    answers = catalog(list, (action) => {
      if (action !== 'package_search' || (searches += 1) !== 2) return undefined;
      list.splice(10, 1); // read already: gone
      Object.assign(list.find(({ name }) => name === 'move-150')!, {
        title: 'Moved',
        metadata_modified: '2026-01-02T00:00:00.000000',
      });
      list.push(dataset('move-new', { metadata_modified: '2026-01-02T00:00:01.000000' }));
      return undefined;
    });
    const source = await sourceOf();
    expect(await run(source)).toMatchObject({ state: 'done', created: 251, updated: 0, deleted: 1, failed: 0 });
    expect((await world.result('package_show', { id: 'move-150' })).title).toBe('Moved');
    expect((await names()).filter((name) => name.startsWith('move-'))).toHaveLength(250);
    asked = [];
    expect(await run(source)).toMatchObject({ state: 'done', created: 0, updated: 0, deleted: 0 });
    expect(asked.filter((one) => one.startsWith('package_search'))).toHaveLength(1);
  }, 60_000);

  it('that does not sort, and one whose datasets all changed in one moment, are read whole', async () => {
    const list = Array.from({ length: 230 }, (_, n) =>
      dataset(`odd-${n}`, { metadata_modified: `2026-01-01T00:00:${String((n * 7) % 60).padStart(2, '0')}.000000` }),
    );
    answers = catalog(list, (action, { start, rows }) =>
      action === 'package_search'
        ? { count: list.length, results: list.slice(Number(start), Number(start) + Number(rows)) }
        : undefined,
    );
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 230, failed: 0 });
    const same = Array.from({ length: 230 }, (_, n) => dataset(`same-${n}`));
    answers = catalog(same);
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 230, failed: 0 });
  }, 60_000);

  it('with bad records gives the good ones; the bad ones are told and tried again', async () => {
    const bad = dataset('bad one', { name: 'Bad Name' });
    const list = [
      dataset('good-one'),
      bad,
      dataset('x', { name: 'bad-two', resources: [{ url: 'javascript:alert(1)' }] }),
    ];
    answers = catalog(list, (action) =>
      action === 'package_search' ? { count: 4, results: [...list, 'nonsense'] } : undefined,
    );
    const source = await sourceOf();
    const first = await run(source);
    expect(first).toMatchObject({ state: 'done', created: 1, failed: 3 });
    expect(first.said.sort()).toEqual([
      expect.stringContaining('without id and name'),
      expect.stringContaining(`dataset Bad Name (${bad.id}): name: Must be purely lowercase`),
      expect.stringMatching(/dataset bad-two .*script/),
    ]);
    bad.name = 'good-two';
    answers = catalog(list);
    expect(await run(source)).toMatchObject({ created: 1, failed: 1 });
    expect(await names()).toContain('good-two');
  });

  it('takes over nothing that is not its own', async () => {
    const mine = await world.make.dataset({
      name: 'mine',
      title: 'Mine',
      resources: [{ url: 'http://mine.example/a' }],
    });
    const { resources } = await world.result('package_show', { id: 'mine' });
    const evil = dataset('mine', {
      id: mine.id,
      title: 'Evil',
      resources: [{ id: resources[0].id, url: 'http://evil.example' }],
    });
    answers = catalog([evil]);
    const source = await sourceOf();
    const ended = await run(source);
    expect(ended).toMatchObject({
      state: 'done',
      created: 1,
      said: [expect.stringContaining('is called mine-2 here')],
    });
    expect(await world.result('package_show', { id: 'mine' })).toMatchObject({
      id: mine.id,
      title: 'Mine',
      resources: [{ url: 'http://mine.example/a' }],
    });
    expect(await run(source, { full: true })).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    answers = catalog([]);
    expect(await run(source, { force: true })).toMatchObject({ deleted: 1 });
    expect((await world.result('package_show', { id: 'mine' })).state).toBe('active');
    answers = catalog([evil]);
    expect(await run(await sourceOf({ adopt: true }))).toMatchObject({ state: 'done' });
    expect((await world.result('package_show', { id: mine.id })).title).toBe('Evil');
  });

  it('whose answers are cut short has nothing deleted', async () => {
    const list = Array.from({ length: 20 }, (_, n) => dataset(`kept-${n}`));
    answers = catalog(list);
    const source = await sourceOf();
    expect(await run(source)).toMatchObject({ created: 20 });
    answers = catalog(list, (action) => (action === 'package_list' ? ['kept-1', 'kept-2'] : undefined));
    expect(await run(source)).toMatchObject({
      state: 'failed',
      deleted: 0,
      message: expect.stringContaining('18 of the 20'),
    });
    answers = catalog(list, (action) =>
      action === 'package_list' ? list.slice(1).map(({ name }) => name) : undefined,
    );
    expect(await run(source)).toMatchObject({ state: 'done', deleted: 0 }); // it still shows what it does not list
    answers = catalog(list, (action, _query, res) =>
      action === 'package_list' ? res.writeHead(502).end('x') : undefined,
    );
    expect(await run(source)).toMatchObject({ state: 'failed', deleted: 0 });
    // A page of a proxy does not say that a dataset is gone.
    answers = catalog(list, (action, _query, res) =>
      action === 'package_list'
        ? ['kept-1']
        : action === 'package_show'
          ? res.writeHead(404).end('<h1>Not found')
          : undefined,
    );
    expect(await run(source, { force: true })).toMatchObject({ state: 'failed', deleted: 0 });
  }, 60_000);

  it('is read by one run at a time, and a run that is stopped is gone on with', async () => {
    const list = Array.from({ length: 300 }, (_, n) =>
      dataset(`slow-${n}`, { metadata_modified: `2026-01-01T00:00:0${Math.floor(n / 100)}.000000` }),
    );
    const stop = new AbortController();
    const source = await sourceOf();
    let pages = 0;
    let second: unknown;
    answers = catalog(list, (action, _query, res) => {
      if (action !== 'package_search' || (pages += 1) !== 3) return undefined;
      setTimeout(async () => {
        second = await run(source).catch((thrown: unknown) => thrown);
        stop.abort();
        res.destroy();
      }, 10);
      res.writeHead(200, { 'content-type': 'application/json' }).write('{');
      Object.defineProperty(res, 'writableEnded', { value: true }); // the rest never comes
      return undefined;
    });
    expect(await run(source, { signal: stop.signal })).toMatchObject({ state: 'stopped' });
    expect(second).toBeInstanceOf(AlreadyRunning);
    const before = (await names()).filter((name) => name.startsWith('slow-')).length;
    expect(before).toBeGreaterThanOrEqual(100);
    answers = catalog(list);
    expect(await run(source)).toMatchObject({ state: 'done', created: 300 - before, failed: 0 });
    expect((await names()).filter((name) => name.startsWith('slow-'))).toHaveLength(300);
  }, 60_000);
});
