/** Harvests of sources with wrong totals, timestamps or names, and with too much data. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createWeb } from '../../src/harvest/web.ts';
import { type Answers, catalog, createHarvestScene, type HarvestScene, type Made } from '../helpers/harvest.ts';

let scene: HarvestScene;
let world: HarvestScene['world'];
let base: HarvestScene['base'];
let sourceOf: HarvestScene['sourceOf'];
let run: HarvestScene['run'];
let dataset: HarvestScene['dataset'];
beforeAll(async () => {
  scene = await createHarvestScene();
  ({ world, base, sourceOf, run, dataset } = scene);
});
beforeEach(() => {
  scene.asked = [];
});
afterAll(() => scene.end());

describe('a source', () => {
  it('with a refused `package_list` and too few results has nothing deleted', async () => {
    const list = Array.from({ length: 10 }, (_, n) => dataset(`walked-${n}`));
    const unlisted: Answers = (action, _query, res) =>
      action === 'package_list'
        ? res.writeHead(403).end('{"success": false, "error": {"__type": "Authorization Error", "message": "no"}}')
        : undefined;
    scene.answers = catalog(list, unlisted);
    const source = await sourceOf();
    expect(await run(source, { full: true })).toMatchObject({ state: 'done', created: 10 });
    // It shows no dataset any more, and its pages end before its count.
    const gone =
      (results: Made[], count: number): Answers =>
      (action, query, res) =>
        action === 'package_search'
          ? { count, results: query.start === '0' && !query.fq ? results : [] }
          : action === 'package_show'
            ? undefined
            : catalog([], unlisted)(action, query, res);
    scene.answers = gone(list.slice(1), 10);
    expect(await run(source, { full: true, force: true })).toMatchObject({ state: 'done', deleted: 0 });
    scene.answers = gone(list.slice(1), 9);
    expect(await run(source, { full: true })).toMatchObject({ state: 'done', deleted: 1 });
  });

  it('with a wrong clock or invalid timestamps is still read correctly', async () => {
    const [one, two] = [
      dataset('clock-one'),
      dataset('clock-two', { metadata_modified: '9998-12-31T23:59:59.000000' }),
    ];
    scene.answers = catalog([one, two]);
    const source = await sourceOf();
    expect(await run(source)).toMatchObject({ created: 2 });
    one.title = 'New';
    one.metadata_modified = new Date(Date.now() + 60_000).toISOString().replace('Z', '');
    expect(await run(source)).toMatchObject({ state: 'done', updated: 1 });
    for (const none of ['9999-99-99T99:99:99', '9998-01-01T00:00:00+09:00', 'soon', 'then\u0000']) {
      two.metadata_modified = none;
      two.title = `Changed ${none.length}`;
      scene.asked = [];
      const ended = await run(source);
      expect([none, ended.said, ended.updated, ended.deleted]).toEqual([none, [], 1, 0]);
      expect(scene.asked.length).toBeLessThan(20);
    }
  });

  it('with invalid names and ids gives the valid records, and fails with too much data', async () => {
    const bad = ['x'.repeat(3_000), '\u0000', 'a\nb', '\ud800'.repeat(800)];
    const list = [dataset('kept-well'), ...bad.map((id) => dataset('no', { id })), ...bad.map((name) => dataset(name))];
    const group = (more: object) => ({ id: world.id(), name: 'no', title: 'No', ...more });
    scene.answers = catalog(list, (action) =>
      action === 'organization_list'
        ? bad.map((id) => group({ id }))
        : action === 'vocabulary_list'
          ? bad.map((name) => ({ id: name, name, tags: [] }))
          : undefined,
    );
    const ended = await run(await sourceOf());
    expect([ended.state, ended.created, ended.message]).toEqual(['done', 1, null]);
    expect(ended.failed).toBeGreaterThanOrEqual(8);
    // More data than a run should hold in memory.
    let page = 0;
    scene.answers = catalog([], (action) =>
      action === 'organization_list'
        ? Array.from({ length: 4 }, () => group({ description: 'x'.repeat(2 ** 22), name: `many-${(page += 1)}` }))
        : undefined,
    );
    expect(await run(await sourceOf())).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('organization_list returned more than 64 MiB'),
    });
  });

  it('with more than one page of records is compared completely, and leaves no marks', async () => {
    const [count, left] = [3_500, 37];
    const list = [dataset('marked-0'), dataset(`marked-${left}`)];
    scene.answers = catalog(list);
    const source = await sourceOf();
    expect(await run(source)).toMatchObject({ created: 2 });
    await world.database.pool.query(
      `INSERT INTO harvest_record (source_id, kind, record_id, record_name, object_id, is_ours, state, written_at)
        SELECT $1, 'dataset', 'id-' || n, 'marked-' || n, NULL, true, 'here', now() FROM generate_series(1, $2) n WHERE n <> $3`,
      [source.id, count, left],
    );
    const marks = async () => (await world.database.pool.query('SELECT * FROM harvest_mark')).rows;
    const all = Array.from({ length: count + 1 }, (_, n) => `marked-${n}`);
    const listing = (names: string[]): Answers =>
      catalog(list, (action) => (action === 'package_list' ? names : undefined));
    scene.answers = listing(all);
    scene.asked = [];
    expect(await run(source)).toMatchObject({ state: 'done', deleted: 0, failed: 0 });
    expect(scene.asked.filter((action) => action.startsWith('package_show'))).toEqual([]);
    list.splice(1, 1);
    const isGone = (name: string) => name === `marked-${left}` || /^marked-3[0-4]\d\d$/.test(name);
    scene.answers = listing(all.filter((name) => !isGone(name)));
    expect(await run(source)).toMatchObject({ state: 'done', deleted: 1 }); // the others were never there
    expect(scene.asked.filter((action) => action.startsWith('package_show'))).toHaveLength(501);
    scene.answers = listing(all);
    expect(await run(source)).toMatchObject({ state: 'done', deleted: 0 }); // requested again, as they are back
    expect(await marks()).toEqual([]);
    scene.answers = listing(['marked-0']);
    expect(await run(source)).toMatchObject({ state: 'failed', deleted: 0 });
    expect(await marks()).toEqual([]);
  });

  it('that sends its response byte by byte times out', async () => {
    const timers = new Set<ReturnType<typeof setInterval>>();
    scene.answers = (_action, _query, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{');
      timers.add(setInterval(() => res.write(' '), 10));
      Object.defineProperty(res, 'writableEnded', { value: true }); // the rest never comes
    };
    const web = createWeb({
      source: base,
      perSecond: 1_000,
      mayReachPrivate: true,
      signal: new AbortController().signal,
      maxDuration: 300,
    });
    await expect(web.json(`${base}/slow`)).rejects.toThrow('timed out');
    for (const timer of timers) clearInterval(timer);
  });
});
