/** Charts: bars, and the labels of values and axes. */
import { expect, it } from '@jest/globals';
import { draw, type X } from '../../../facades/web/site/preview/plot.ts';

const LONG = 'The same first words of a long name: ';
const words = { noValue: 'kein Wert', number: (value: number) => `${value} Stück`, time: () => 'now' };
const bars = (xs: readonly X[], series: readonly string[]) =>
  draw({
    kind: 'bars',
    points: series.flatMap((series, at) => xs.map((x, n) => ({ x, series, y: n + at + 1 }))),
    series,
    xLabel: 'x',
    yLabel: 'y',
    title: 'Bars',
    words,
  });

it.each([[['count']], [['a', 'b']]])('draws a separate bar for each value (%s)', async (series) => {
  const values = [`${LONG}A`, `${LONG}B`, null, '(no value)', 'null', 'none', ''];
  const svg = await bars(values, series);
  const places = [...svg.matchAll(/<rect [^>]*?y="([^"]+)"[^>]*>/g)].length;
  expect(places).toBe(values.length * series.length);
  if (series.length === 1)
    expect(new Set([...svg.matchAll(/<rect [^>]*? y="([^"]+)"/g)].map(([, y]) => y)).size).toBe(values.length);
  expect(svg.split(`>${LONG.slice(0, 31)}…<`)).toHaveLength(3);
  for (const name of ['kein Wert', '(no value)', 'null', 'none']) expect(svg.split(`>${name}<`)).toHaveLength(2);
});

it('formats numbers in the language of the page', async () => {
  const svg = await bars([7, 1_000], ['count']);
  expect(svg).toContain('>7 Stück<');
  expect(svg).toContain('>1000 Stück<');
});

it('labels a time axis with 2 to 8 times, so that long labels fit', async () => {
  for (const days of [1, 40, 400, 1_800, 20_000]) {
    const points = [0, 0.3, 1].map((part) => ({ x: new Date(part * days * 86_400_000), series: 'a', y: 1 }));
    const svg = await draw({ kind: 'lines', points, series: ['a'], xLabel: 'x', yLabel: 'y', title: 'Lines', words });
    const count = svg.split('>now<').length - 1;
    expect([days, count >= 2 && count <= 8]).toEqual([days, true]);
  }
});
