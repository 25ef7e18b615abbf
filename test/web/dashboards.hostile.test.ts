/** Hostile texts and addresses in dashboards: formulas in CSV files, characters that XML does not allow, odd years. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHARTS } from '../../facades/web/site/dashboards/charts.ts';
import { csvOf, hasPicture } from '../../facades/web/site/dashboards/files.tsx';
import { USE } from '../../src/kernel/usage.ts';
import { keepUp } from '../../src/usage/fold.service.ts';
import { addBatch } from '../../src/usage/fold.sql.ts';
import { csvRows, figuresOf } from '../helpers/dashboards.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { parseXml } from '../helpers/xml.ts';

const FORMULAS = ['=HYPERLINK("http://x")', '+1+1', '-2+3', '@SUM(1)', '\t=1', '＝1+1'];
const SIGNS = `\u0001<b>&"\u000b\ufffe${'😀'.repeat(60)}`;

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
  const org = await world.make.organization({ title: FORMULAS[0]! });
  const made: { id: string }[] = [];
  for (const [n, title] of [...FORMULAS, SIGNS].entries())
    made.push(await world.result('package_create', { name: `d-${n}`, title, owner_org: org.id }, { as: admin }));
  await world.result('package_create', { name: 'hidden', owner_org: org.id, private: true }, { as: admin });
  await addBatch(world.database.sql, {
    id: 'uses',
    day: new Date().toISOString().slice(0, 10),
    objects: [...made.map(({ id }) => `d${id}`), 'w=cmd|x'],
    kinds: [...made.map(() => USE.view), USE.emptySearch],
    counts: [...made.map(() => 3), 2],
  });
  await keepUp(world.app.callAs(world.system));
  while ((await world.app.score()) > 0);
});
afterAll(() => world.end());

const get = (path: string, as: TestUser | null = null) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...(as && { authorization: as.key }) } });

describe('CSV files', () => {
  it('have no cell that a spreadsheet would run as a formula', async () => {
    const found = new Set<string>();
    for (const { dashboard, id } of CHARTS) {
      const { status, text } = await get(`/dashboards/${dashboard}/${id}.csv`, admin);
      expect([dashboard, id, status]).toEqual([dashboard, id, 200]);
      for (const row of csvRows(text))
        for (const cell of Object.values(row)) {
          expect([id, cell, /^[=+\-@\t\r＝＋－＠]/.test(cell)]).toEqual([id, cell, false]);
          found.add(cell);
        }
    }
    for (const text of [...FORMULAS.map((it) => it.trim()), '=cmd|x']) {
      const cell = [...found].find((it) => it.startsWith("'") && it.slice(1).trim() === text);
      expect([text, cell === undefined]).toEqual([text, false]);
    }
  });

  it('write numbers unchanged', () => {
    const columns = [{ key: 'growth', label: '', kind: 'number' }] as const;
    expect(csvOf({ columns, rows: [{ cells: [-5] }, { cells: [null] }, { cells: ['-5'] }] })).toBe(
      "growth\r\n-5\r\n\r\n'-5\r\n",
    );
  });
});

it('SVG files are well-formed with hostile titles', async () => {
  for (const chart of CHARTS.filter(hasPicture)) {
    const { status, text } = await get(`/dashboards/${chart.dashboard}/${chart.id}.svg`, admin);
    expect([chart.id, status, parseXml(text).name]).toEqual([chart.id, 200, 'svg']);
  }
  const { text } = await get('/dashboards/usage/top.svg');
  expect(text).toContain('\ufffd&lt;b>&amp;&quot;\ufffd\ufffd😀');
  expect(text).toMatch(/😀…<\/text>/); // shortened between characters
});

describe('years', () => {
  it.each([
    'from=0000-01-01&to=0050-01-01&interval=year',
    'from=0050-01-01&to=0060-01-01&interval=year',
    'to=0999-12-31',
    'from=9999-01-01&to=9999-12-31',
    'to=9999-12-31&interval=week',
  ])('out of range are refused: %s', async (query) => {
    for (const id of ['catalog', 'quality', 'usage']) {
      const page = await get(`/dashboards/${id}?${query}`);
      expect([id, page.status, page.text.includes('Must be a day')]).toEqual([id, 422, true]);
    }
    for (const file of ['catalog/changes', 'quality/points', 'usage/uses'])
      expect([file, (await get(`/dashboards/${file}.csv?${query}`)).status]).toEqual([file, 422]);
  });

  it.each(['day', 'week', 'month', 'year'])('at the limits are accepted, by %s', async (interval) => {
    for (const day of ['1000-01-01', '9998-12-31'])
      for (const { dashboard, id, follows } of CHARTS.filter((it) => it.follows.includes('interval'))) {
        expect(follows).toContain('from');
        const { status, text } = await get(
          `/dashboards/${dashboard}/${id}.csv?from=${day}&to=${day}&interval=${interval}`,
        );
        expect([id, day, status, csvRows(text).length]).toEqual([id, day, 200, 1]);
      }
  });
});

it('an unknown choice is refused', async () => {
  for (const query of ['check=nothing', 'rating=__proto__', 'check=keywords%00', `rating=${'x'.repeat(5_000)}`]) {
    const page = await get(`/dashboards/quality?${query}`);
    expect([query, page.status, page.text.includes('Must be one of the list.')]).toEqual([query, 422, true]);
    expect([query, (await get(`/dashboards/quality/worst.csv?${query}`)).status]).toEqual([query, 422]);
  }
});

it.each(['visitor', 'sysadmin'])(
  'figures of quality link to lists of the counted datasets, for a %s',
  async (reader) => {
    const as = reader === 'visitor' ? null : admin;
    const figures = await figuresOf(world, '/dashboards/quality', as);
    const lists = figures.filter(({ href }) => /[?&](check|rating)=/.test(href));
    expect(lists.length).toBeGreaterThan(10);
    for (const { href, value } of lists) {
      const { text } = await get(href.replace('/quality?', '/quality/worst.csv?'), as);
      expect([href, csvRows(text).length]).toEqual([href, value]);
    }
    const { text } = await get('/dashboards/quality/worst.csv', as);
    expect(csvRows(text).some(({ name }) => name === 'hidden')).toBe(as !== null);
  },
);

it('usage is shown by day by default', async () => {
  const { text } = await get('/dashboards/usage/uses.csv');
  expect(csvRows(text)).toHaveLength(30);
});

it('bars of percentages and points are drawn relative to the maximum', async () => {
  const { text } = await get('/dashboards/quality');
  const chart = (id: string) => /<tbody>.*?<\/tbody>/s.exec(text.slice(text.indexOf(`id="chart-${id}"`)))![0];
  const bars = (id: string) =>
    [...chart(id).matchAll(/<rect[^>]* width="([\d.]+)"/g)].map(([, width]) => Number(width));
  const cells = (id: string) =>
    [...chart(id).matchAll(/<td class="number">([\d.]+)%?<\/td>/g)].map(([, value]) => Number(value));
  expect(cells('dimensions')).toHaveLength(5);
  expect(bars('dimensions')).toEqual(cells('dimensions'));
  expect(cells('worst')).toHaveLength(7);
  expect(bars('worst')).toEqual(cells('worst').map((points) => Math.round((1000 * points) / 405) / 10));
});

it('a series with one value is drawn over its period only', async () => {
  const { text } = await get('/dashboards/quality');
  const chart = text.slice(text.indexOf('id="chart-points"'));
  const [, from, length] = /<path d="M([\d.]+) [\d.]+h([\d.]+)"/.exec(chart)!;
  expect(Number(from) + Number(length)).toBeCloseTo(1_000, 0);
  expect(Number(length)).toBeLessThan(50);
});
