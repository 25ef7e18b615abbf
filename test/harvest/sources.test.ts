/** Harvests of busy, broken and malicious Action API sources, simulated by a real HTTP server. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AlreadyRunning } from '../../src/harvest/run/harvest.ts';
import { catalog, createHarvestScene, type HarvestScene } from '../helpers/harvest.ts';

let scene: HarvestScene;
let world: HarvestScene['world'];
let sourceOf: HarvestScene['sourceOf'];
let run: HarvestScene['run'];
let dataset: HarvestScene['dataset'];
beforeAll(async () => {
  scene = await createHarvestScene();
  ({ world, sourceOf, run, dataset } = scene);
});
beforeEach(() => {
  scene.asked = [];
});
afterAll(() => scene.end());

const names = async (): Promise<string[]> => world.result('package_list');

describe('a source', () => {
  it('that is busy is retried after its `Retry-After`, and fails if it stays busy', async () => {
    const list = [dataset('busy-one')];
    let refusals = 0;
    scene.answers = catalog(list, (action, _query, res) => {
      if (action !== 'package_search' || refusals >= 3) return undefined;
      refusals += 1;
      if (refusals === 2) res.destroy();
      else res.writeHead(refusals === 1 ? 429 : 503, { 'retry-after': refusals === 1 ? '1' : '0' }).end('busy');
      return undefined;
    });
    const before = Date.now();
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 1 });
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000);
    scene.answers = (_action, _query, res) => res.writeHead(503, { 'retry-after': '86400' }).end();
    expect(await run(await sourceOf())).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('refuses requests'),
    });
    scene.answers = (_action, _query, res) => res.writeHead(500).end('<h1>oh</h1>');
    expect(await run(await sourceOf())).toMatchObject({ state: 'failed', message: expect.stringContaining('no JSON') });
  });

  it('that changes while it is read is read completely, each dataset once', async () => {
    const list = Array.from({ length: 250 }, (_, n) =>
      dataset(`move-${String(n).padStart(3, '0')}`, {
        metadata_modified: `2026-01-01T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}.000000`,
      }),
    );
    let searches = 0;
    scene.answers = catalog(list, (action) => {
      if (action !== 'package_search' || (searches += 1) !== 2) return undefined;
      list.splice(10, 1); // already read, now deleted
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
    scene.asked = [];
    expect(await run(source)).toMatchObject({ state: 'done', created: 0, updated: 0, deleted: 0 });
    expect(scene.asked.filter((one) => one.startsWith('package_search'))).toHaveLength(1);
  });

  it('that does not sort, or has one timestamp for all datasets, is read completely', async () => {
    const list = Array.from({ length: 230 }, (_, n) =>
      dataset(`odd-${n}`, { metadata_modified: `2026-01-01T00:00:${String((n * 7) % 60).padStart(2, '0')}.000000` }),
    );
    scene.answers = catalog(list, (action, { start, rows }) =>
      action === 'package_search'
        ? { count: list.length, results: list.slice(Number(start), Number(start) + Number(rows)) }
        : undefined,
    );
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 230, failed: 0 });
    const same = Array.from({ length: 230 }, (_, n) => dataset(`same-${n}`));
    scene.answers = catalog(same);
    expect(await run(await sourceOf())).toMatchObject({ state: 'done', created: 230, failed: 0 });
  });

  it('with invalid records gives the valid ones, and the others are reported and retried', async () => {
    const bad = dataset('bad one', { name: 'Bad Name' });
    const list = [dataset('good-one'), bad, dataset('bad-two', { url: 'javascript:alert(1)' })];
    scene.answers = catalog(list, (action) =>
      action === 'package_search' ? { count: 4, results: [...list, 'nonsense'] } : undefined,
    );
    const source = await sourceOf();
    const first = await run(source);
    expect(first).toMatchObject({ state: 'done', created: 1, failed: 3 });
    expect(first.said.sort()).toEqual([
      expect.stringContaining('without a usable id and name'),
      expect.stringContaining(`dataset Bad Name (${bad.id}): name: Must be purely lowercase`),
      expect.stringMatching(/dataset bad-two .*script/),
    ]);
    bad.name = 'good-two';
    scene.answers = catalog(list);
    expect(await run(source)).toMatchObject({ created: 1, failed: 1 });
    expect(await names()).toContain('good-two');
  });

  it('cannot overwrite datasets of this catalog, unless it may adopt them', async () => {
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
    scene.answers = catalog([evil]);
    const source = await sourceOf();
    const ended = await run(source);
    expect(ended).toMatchObject({
      state: 'done',
      created: 1,
      said: [expect.stringContaining('was renamed to mine-2')],
    });
    expect(await world.result('package_show', { id: 'mine' })).toMatchObject({
      id: mine.id,
      title: 'Mine',
      resources: [{ url: 'http://mine.example/a' }],
    });
    expect(await run(source, { full: true })).toMatchObject({ created: 0, updated: 0, unchanged: 1 });
    scene.answers = catalog([]);
    expect(await run(source, { force: true })).toMatchObject({ deleted: 1 });
    expect((await world.result('package_show', { id: 'mine' })).state).toBe('active');
    scene.answers = catalog([evil]);
    expect(await run(await sourceOf({ adopt: true }))).toMatchObject({ state: 'done' });
    expect((await world.result('package_show', { id: mine.id })).title).toBe('Evil');
  });

  it('whose responses are incomplete has nothing deleted', async () => {
    const list = Array.from({ length: 20 }, (_, n) => dataset(`kept-${n}`));
    scene.answers = catalog(list);
    const source = await sourceOf();
    expect(await run(source)).toMatchObject({ created: 20 });
    scene.answers = catalog(list, (action) => (action === 'package_list' ? ['kept-1', 'kept-2'] : undefined));
    expect(await run(source)).toMatchObject({
      state: 'failed',
      deleted: 0,
      message: expect.stringContaining('18 of its 20'),
    });
    scene.answers = catalog(list, (action) =>
      action === 'package_list' ? list.slice(1).map(({ name }) => name) : undefined,
    );
    expect(await run(source)).toMatchObject({ state: 'done', deleted: 0 }); // it still returns the unlisted dataset
    scene.answers = catalog(list, (action, _query, res) =>
      action === 'package_list' ? res.writeHead(502).end('x') : undefined,
    );
    expect(await run(source)).toMatchObject({ state: 'failed', deleted: 0 });
    // An error page of a proxy does not prove that a dataset is gone.
    scene.answers = catalog(list, (action, _query, res) =>
      action === 'package_list'
        ? ['kept-1']
        : action === 'package_show'
          ? res.writeHead(404).end('<h1>Not found')
          : undefined,
    );
    expect(await run(source, { force: true })).toMatchObject({ state: 'failed', deleted: 0 });
  });

  it('is read by one of ten concurrent runs', async () => {
    const [source, answer] = [await sourceOf(), catalog([dataset('ten-runs')])];
    let [refused, waiting] = [0, 0];
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    /** Lets runs continue once nine were refused, or all ten read. */
    const releaseIfDecided = () => (refused === 9 || waiting >= 10) && release();
    scene.answers = async (...request) => {
      waiting += 1;
      releaseIfDecided();
      await released;
      return answer(...request);
    };
    const runs = Array.from({ length: 10 }, () =>
      run(source).catch((thrown: unknown) => {
        refused += 1;
        releaseIfDecided();
        return thrown;
      }),
    );
    const ended = await Promise.all(runs);
    expect(ended.filter((one) => one instanceof AlreadyRunning)).toHaveLength(9);
    expect(ended.find((one) => !(one instanceof Error))).toMatchObject({ state: 'done', created: 1 });
    expect(await world.database.db.harvestRun.count({ where: { sourceId: source.id } })).toBe(1);
  });

  it('is read by one run at a time, and the next run resumes a stopped one', async () => {
    const list = Array.from({ length: 300 }, (_, n) =>
      dataset(`slow-${n}`, { metadata_modified: `2026-01-01T00:00:0${Math.floor(n / 100)}.000000` }),
    );
    const stop = new AbortController();
    const source = await sourceOf();
    let pages = 0;
    let second: unknown;
    scene.answers = catalog(list, (action, _query, res) => {
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
    scene.answers = catalog(list);
    expect(await run(source)).toMatchObject({ state: 'done', created: 300 - before, failed: 0 });
    expect((await names()).filter((name) => name.startsWith('slow-'))).toHaveLength(300);
  });
});
