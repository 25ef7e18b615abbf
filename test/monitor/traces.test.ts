/** Traces with a failing collector or without one, and `Server-Timing`. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Collector, createCollector } from '../helpers/collector.ts';
import { valuesOf } from '../helpers/metrics.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const TOKEN = 'a token of 20 letters';
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function traced(
  settings: Parameters<typeof createWorld>[0] = {},
): Promise<{ world: World; collector: Collector }> {
  const collector = await createCollector();
  ends.push(() => collector.end());
  const world = await createWorld({
    'catalog.tracing.endpoint': collector.url,
    'catalog.monitoring.token': TOKEN,
    ...settings,
  });
  ends.push(() => world.end());
  return { world, collector };
}

/** Closes a world before its test ends. */
async function end(world: World): Promise<void> {
  ends.pop();
  await world.end();
}

const spansOf = async (world: World): Promise<Record<string, number>> =>
  valuesOf(
    (await world.request('/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).text,
    'catalog_trace_spans_total',
  );

/** Sends requests that must not be affected by the collector. */
async function ask(world: World, count: number): Promise<void> {
  for (let n = 0; n < count; n += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.action('package_list', {}, { get: true })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  }
}

describe('a collector', () => {
  it('that never answers neither slows nor fails requests', async () => {
    const { world, collector } = await traced();
    collector.answer = () => {};
    await ask(world, 40);
    await until(() => collector.bodies.length > 0);
    await ask(world, 40);
  });

  it('that is down does not fail requests, and its spans are dropped', async () => {
    const { world, collector } = await traced({ 'catalog.tracing.endpoint': 'http://127.0.0.1:9' });
    await ask(world, 20);
    await until(async () => ((await spansOf(world)).dropped ?? 0) > 0);
    expect(collector.bodies).toEqual([]);
  });

  it('receives only traces sampled by callers with a ratio of 0', async () => {
    const { world, collector } = await traced({ 'catalog.tracing.ratio': '0' });
    await ask(world, 20);
    await world.action('package_list', {}, { headers: { traceparent: PARENT } });
    await until(() => collector.bodies.length > 0);
    const ids = Buffer.concat(collector.bodies)
      .toString('hex')
      .match(/0a10[0-9a-f]{32}1208/g);
    expect(new Set(ids)).toEqual(new Set([`0a10${PARENT.split('-')[1]}1208`]));
  });

  it('receives nothing if callers must not decide', async () => {
    const { world, collector } = await traced({ 'catalog.tracing.ratio': '0', 'catalog.tracing.callers': 'ratio' });
    await world.action('package_list', {}, { headers: { traceparent: PARENT } });
    await end(world);
    expect(collector.bodies).toEqual([]);
  });

  it('receives the last spans when the process ends', async () => {
    const { world, collector } = await traced();
    await world.request('/api/3/action/package_list');
    await end(world);
    expect(collector.bodies.length).toBeGreaterThan(0);
    expect(Buffer.concat(collector.bodies).includes('package_list')).toBe(true);
  });
});

describe('without a collector', () => {
  it('traces no request, and stores no trace in revisions', async () => {
    const world = await createWorld();
    ends.push(() => world.end());
    const boss = await world.make.sysadmin();
    const headers = { traceparent: PARENT };
    const { headers: answered } = await world.action('package_create', { name: 'rivers' }, { as: boss, headers });
    expect(answered.get('server-timing')).toBeNull();
    expect(await world.database.db.revision.count({ where: { traceparent: { not: null } } })).toBe(0);
    expect(await world.database.db.revision.count()).toBeGreaterThan(0);
  });

  it('sends the timings of a response in Server-Timing', async () => {
    const world = await createWorld({ 'catalog.server_timing': true });
    ends.push(() => world.end());
    await world.make.dataset({ name: 'rivers' });
    const FORM = /^total;dur=\d+\.\d(?:, graph;dur=\d+\.\d)?, sql;dur=\d+\.\d;desc="\d+"$/;
    const timing = async (path: string, init: RequestInit = {}) => {
      const { headers } = await world.request(path, init);
      const text = headers.get('server-timing')!;
      expect(text).toMatch(FORM);
      return Object.fromEntries(
        text.split(', ').map((part) => [part.split(';')[0], Number(/(?:desc="|dur=)([\d.]+)"?$/.exec(part)![1])]),
      );
    };
    const shown = await timing('/api/3/action/package_show?id=rivers', { headers: { traceparent: PARENT } });
    expect(shown.sql).toBe(1);
    expect(shown.graph).toBeGreaterThan(0);
    expect(shown.graph).toBeLessThanOrEqual(shown.total! + 0.1);
    const body = JSON.stringify({ query: '{ datasets(first: 1) { nodes { name revision { message } } } }' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    expect((await timing('/graphql', init)).sql).toBeGreaterThan(1);
    expect((await timing('/livez')).graph).toBeUndefined();
    expect(await world.database.db.revision.count({ where: { traceparent: { not: null } } })).toBe(0);
  });
});
