/** Draws the minutes of a soak: memory, latency, CPU. */
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { WARM_UP } from './verdict.mjs';

const SIZE = { width: 860, height: 300, marginLeft: 60, marginRight: 130 };

/** An SVG with one line per series. `series` is `{ label: row → value }`. */
export function draw(minutes, { title, unit, series }) {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const points = Object.entries(series).flatMap(([name, of]) =>
    minutes.map((row) => ({ name, minute: row.minute, value: of(row) })).filter(({ value }) => value !== null),
  );
  const svg = Plot.plot({
    document,
    ...SIZE,
    style: { background: '#fff', fontFamily: 'sans-serif', fontSize: '11px' },
    color: { domain: Object.keys(series), scheme: 'tableau10' },
    x: { label: 'minute', ticks: Math.min(15, minutes.length) },
    y: { label: `${title}, ${unit}`, grid: true, nice: true, zero: true },
    marks: [
      Plot.ruleY([0]),
      Plot.ruleX([WARM_UP], { strokeDasharray: '3 3', stroke: '#888' }),
      Plot.lineY(points, { x: 'minute', y: 'value', stroke: 'name', strokeWidth: 2 }),
      Plot.text(
        points,
        Plot.selectLast({ x: 'minute', y: 'value', z: 'name', text: 'name', textAnchor: 'start', dx: 6 }),
      ),
    ],
  });
  for (const style of svg.querySelectorAll('style')) style.remove();
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  svg.insertAdjacentHTML('afterbegin', `<title>${title} over a soak</title>`);
  return `${svg.outerHTML.replace(/\d+\.\d{2,}/g, (number) => String(Number(Number(number).toFixed(2))))}\n`;
}
