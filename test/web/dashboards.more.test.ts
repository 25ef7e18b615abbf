/** Figures of the dashboards Quality and Usage equal SQL counts and scripted requests, for each kind of caller. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseHTML } from 'linkedom';
import { anonymous } from '../../src/kernel/call.ts';
import { CHECKS } from '../../src/quality/method.rules.ts';
import { flush, keepUp } from '../../src/usage/fold.service.ts';
import { actorOf, readableIds } from '../graph/statistics.helper.ts';
import { figuresOf, filesOf } from '../helpers/dashboards.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomWrites } from '../helpers/random-writes.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import { createWorld, type World } from '../helpers/world.ts';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const MAXIMA = { findability: 100, accessibility: 100, interoperability: 110, reusability: 75, contextuality: 20 };
const rounded = (value: number): number => Math.round(value * 10) / 10;

describe('Quality', () => {
  let world: World;
  let write: (number: number) => Promise<void>;
  let callers: (TestUser | null)[];
  beforeAll(async () => {
    world = await createSampleWorld();
    const [admin, member, editor] = [await world.make.sysadmin(), await world.make.user(), await world.make.user()];
    const listed = async (action: string) =>
      (await world.result(action, { all_fields: true })) as { id: string; name: string }[];
    const organizations = await listed('organization_list');
    write = randomWrites({ world, admin, editor, organizations, groups: await listed('group_list') });
    for (const { id } of organizations.slice(0, 3))
      await world.result('organization_member_create', { id, username: member.name, role: 'member' }, { as: admin });
    callers = [null, member, admin];
  }, 600_000);
  afterAll(() => world.end());

  async function compare(as: TestUser | null): Promise<void> {
    while ((await world.app.score()) > 0);
    const { rows } = await filesOf(world, 'quality', {}, as);
    const readable = await readableIds(world, await actorOf(world, as));
    const { rows: all } = await world.database.pool.query(
      `SELECT d.name, q.*, g.name AS organization FROM dataset_quality q JOIN dataset d ON d.id = q.dataset_id
       LEFT JOIN group_account g ON g.id = d.owner_organization_id WHERE d.state = 'active' AND d.id = ANY ($1)`,
      [readable],
    );
    // The graph gives means with two decimals.
    const mean = (list: any[], key = 'points') =>
      Math.round((list.reduce((sum, it) => sum + it[key], 0) / list.length) * 100) / 100;
    expect(Number(rows.score![0]!.datasets)).toBe(all.length);
    expect(Number(rows.score![0]!.mean_points)).toBeCloseTo(mean(all), 0);
    const bounds = { EXCELLENT: [351, 405], GOOD: [221, 350], SUFFICIENT: [121, 220], BAD: [0, 120] };
    const ratings = Object.entries(bounds).map(([rating, [from, to]]) => [
      rating,
      String(all.filter(({ points }) => points >= from! && points <= to!).length),
    ]);
    expect(rows.ratings!.map(({ rating, datasets }) => [rating, datasets])).toEqual(ratings);
    for (const { dimension, percent } of rows.dimensions!) {
      const key = dimension!.toLowerCase() as keyof typeof MAXIMA;
      expect([key, Number(percent)]).toEqual([key, rounded((100 * mean(all, key)) / MAXIMA[key])]);
    }
    const checks = Array.from(
      { length: all[0].checks.length },
      (_, at) => all.filter((it) => it.checks[at] === '0').length,
    );
    expect(rows.missing!.map(({ datasets }) => Number(datasets))).toEqual(
      checks.filter((count) => count > 0).sort((a, b) => b - a),
    );
    const worst = all.map(({ points }) => points).sort((a, b) => a - b);
    expect(rows.worst!.map(({ points }) => Number(points))).toEqual(worst.slice(0, 10));
    const byName = new Map(all.map((it) => [it.name, it.points]));
    for (const { name, points } of rows.worst!) expect([name, Number(points)]).toEqual([name, byName.get(name)]);
    for (const { name, mean_points } of rows.organizations!)
      expect([name, Number(mean_points)]).toEqual([name, rounded(mean(all.filter((it) => it.organization === name)))]);
    expect(Number(rows.points!.at(-1)!.datasets)).toBe(all.length);
    for (const { href, value } of await listsOf(as)) {
      const [filter, choice] = [...new URLSearchParams(href.split('?')[1])][0]!;
      const at = CHECKS.findIndex(({ name }) => name.toLowerCase() === choice);
      const [from, to] = bounds[choice!.toUpperCase() as keyof typeof bounds] ?? [];
      const isMeant = (it: any) =>
        filter === 'check' ? it.checks[at] === '0' : it.points >= from! && it.points <= to!;
      const meant = all.filter(isMeant);
      const page = await world.request(href, {
        headers: { accept: 'text/html', ...(as && { authorization: as.key }) },
      });
      const { document } = parseHTML(page.text);
      const listed = [...document.querySelectorAll('#chart-worst tbody th a')].map((link: any) =>
        decodeURIComponent(link.getAttribute('href').split('/').at(-1)),
      );
      const more = Number(/and ([\d,]+) more/.exec(page.text)?.[1]?.replaceAll(',', '') ?? 0);
      expect([href, value, listed.length + more]).toEqual([href, meant.length, meant.length]);
      expect([href, listed.filter((name) => !meant.some((it) => it.name === name))]).toEqual([href, []]);
    }
  }

  /** Figures of missing fields and of ratings, which link to the pages of their datasets. */
  async function listsOf(as: TestUser | null) {
    const figures = await figuresOf(world, '/dashboards/quality', as);
    const lists = figures.filter(({ href }) => /[?&](check|rating)=/.test(href));
    expect(lists.length).toBeGreaterThan(8);
    return lists;
  }

  it('equals SQL before the writes', async () => {
    for (const as of callers) await compare(as);
  }, 600_000);
  it('and after 500 random writes', async () => {
    for (let number = 1; number <= 500; number += 1) await write(number);
    for (const as of callers) await compare(as);
  }, 900_000);
});

describe('Usage', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.usage.enabled': true, 'catalog.trusted_proxies': ['loopback'] });
  });
  afterAll(() => world.end());

  it('equals the requests that were sent', async () => {
    const admin = await world.make.sysadmin();
    for (const name of ['rivers', 'lakes']) await world.make.dataset({ name, title: name });
    let visitors = 0;
    const visit = (path: string, accept = 'text/html') => {
      visitors += 1;
      return world.request(path, { headers: { accept, 'user-agent': `${BROWSER} v${visitors}` } });
    };
    for (let n = 0; n < 7; n += 1) await visit('/dataset/rivers');
    for (let n = 0; n < 3; n += 1) await visit('/dataset/lakes');
    for (let n = 0; n < 5; n += 1) await visit('/api/3/action/package_show?id=lakes', 'application/json');
    for (let n = 0; n < 4; n += 1) await visit('/dataset?q=rivers');
    for (let n = 0; n < 2; n += 1) await visit('/dataset?q=glaciers');
    await sleep(50);
    await flush(world.app.callAs(world.system).process.usage as never, world.database.sql);
    await keepUp(world.app.callAs(anonymous('usage')));
    const { rows } = await filesOf(world, 'usage', { interval: 'day' }, admin);
    const sum = (chart: string, key: string) => rows[chart]!.reduce((total, row) => total + Number(row[key]), 0);
    const sql = (kind: number) =>
      world.database.pool
        .query('SELECT coalesce(sum(count), 0)::int AS n FROM usage_day WHERE kind = $1', [kind])
        .then(({ rows: [row] }) => row.n);
    expect([sum('uses', 'views'), sum('uses', 'downloads'), sum('uses', 'reads')]).toEqual([10, 0, 5]);
    expect([await sql(1), await sql(2), await sql(3)]).toEqual([10, 0, 5]);
    expect([sum('searches', 'searches'), sum('searches', 'without_result')]).toEqual([6, 2]);
    expect(rows.top!.map(({ name, uses }) => [name, uses])).toEqual([
      ['rivers', '7'],
      ['lakes', '3'],
    ]);
    expect(rows.rising!.map(({ name, uses }) => [name, uses])).toEqual([
      ['rivers', '7'],
      ['lakes', '3'],
    ]);
    expect(rows['searches-without-result']!.map(({ words, searches }) => [words, searches])).toEqual([
      ['glaciers', '2'],
    ]);
    expect(Object.keys((await filesOf(world, 'usage', {}, null)).rows)).not.toContain('searches-without-result');
  });
});
