/** What became of the figures over time: docs/bench.svg from the runs kept, and the last run's table in docs/performance.md. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOr, root } from '../scripts/stamp.mjs';
import { beside } from './beside.mjs';
import { aboutOf, tableOf } from './table.mjs';

const RESULTS = join(root, 'bench/results');
const SERIES = [
  { name: 'package_show c1', color: '#1668b8', dash: '' },
  { name: 'package_show c32', color: '#1668b8', dash: '5 4' },
  { name: 'dataset { … } c1', color: '#b2531b', dash: '' },
  { name: 'dataset { … } c32', color: '#b2531b', dash: '5 4' },
];
const GOALS = [
  { at: 0.6, color: '#1668b8', text: 'goal of package_show' },
  { at: 0.12, color: '#b2531b', text: 'goal of dataset { … }' },
];
const [WIDTH, HEIGHT] = [760, 360];
const PLOT = { left: 50, right: 590, top: 40, bottom: 300 };

/** Writes both, and what shows the last run beside PostGraphile. Without any run there is nothing to show, and nothing is written. */
export function history() {
  beside();
  const runs = readdirSync(RESULTS)
    .filter((file) => /^\d.*\.json$/.test(file))
    .map((file) => JSON.parse(readFileSync(join(RESULTS, file), 'utf8')))
    .filter(({ suite }) => suite === 'core')
    .sort((a, b) => (a.date < b.date ? -1 : 1));
  if (runs.length === 0) return;
  writeFileSync(join(root, 'docs/bench.svg'), picture(runs));
  putTable(runs.at(-1));
}

function picture(runs) {
  const most = Math.max(1, ...runs.flatMap((run) => SERIES.map(({ name }) => ratioOf(run, name) ?? 0)));
  const x = (i) => PLOT.left + (runs.length === 1 ? 0.5 : i / (runs.length - 1)) * (PLOT.right - PLOT.left);
  const y = (ratio) => PLOT.bottom - (ratio / most) * (PLOT.bottom - PLOT.top);
  const text = (at, top, content, extra = '') =>
    `<text x="${at.toFixed(1)}" y="${top.toFixed(1)}" ${extra}>${content}</text>`;
  const across = (ratio, stroke) => `<path d="M${PLOT.left} ${y(ratio).toFixed(1)}H${PLOT.right}" ${stroke}/>`;

  const grid = Array.from({ length: Math.floor(most / 0.2) + 1 }, (_, i) => i / 5).flatMap((ratio) => [
    across(ratio, 'stroke="#ddd"'),
    text(PLOT.left - 8, y(ratio) + 4, ratio.toFixed(1), 'text-anchor="end"'),
  ]);
  const goals = GOALS.flatMap(({ at, color, text: name }) => [
    across(at, `stroke="${color}" stroke-width="1" stroke-dasharray="1 4"`),
    text(PLOT.right + 8, y(at) + 4, name, `fill="${color}"`),
  ]);
  const lines = SERIES.flatMap(({ name, color, dash }) => {
    const points = runs.flatMap((run, i) => (ratioOf(run, name) === null ? [] : [[x(i), y(ratioOf(run, name))]]));
    const path = points.map(([left, top], i) => `${i ? 'L' : 'M'}${left.toFixed(1)} ${top.toFixed(1)}`).join('');
    const dots = points.map(
      ([left, top]) =>
        `<circle cx="${left.toFixed(1)}" cy="${top.toFixed(1)}" r="3.5" fill="${dash ? '#fff' : color}" stroke="${color}"/>`,
    );
    return [`<path d="${path}" fill="none" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"/>`, ...dots];
  });
  const key = SERIES.flatMap(({ name, color, dash }, i) => [
    `<path d="M${PLOT.right + 20} ${PLOT.top + i * 18}h24" stroke="${color}" stroke-width="2" stroke-dasharray="${dash}"/>`,
    text(PLOT.right + 50, PLOT.top + 4 + i * 18, name),
  ]);
  const every = Math.ceil(runs.length / 10);
  const labels = runs.flatMap(({ date, commit }, i) =>
    i % every === 0 || i === runs.length - 1
      ? [
          text(x(i), PLOT.bottom + 18, date.slice(5, 10), 'text-anchor="middle"'),
          text(x(i), PLOT.bottom + 32, commit, 'text-anchor="middle" fill="#777"'),
        ]
      : [],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" fill="#333">
<title>Requests per CPU second, as a part of the floor's, over the recorded runs</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${[text(PLOT.left, 20, 'Requests per CPU second of all server processes, 1.0 = a bare server with one statement', 'font-size="13"'), ...grid, ...goals, ...lines, ...key, ...labels].join('\n')}
</svg>
`;
}

const ratioOf = (run, name) => run.rows.find((row) => row.name === name)?.ratio ?? null;

function putTable(run) {
  const file = 'docs/performance.md';
  const [before, , after] = readOr(file, '').split(/<!-- (?:last run|end) -->/);
  if (after === undefined) return;
  writeFileSync(
    join(root, file),
    `${before}<!-- last run -->\n${aboutOf(run)}\n\n${tableOf(run.rows)}\n<!-- end -->${after}`,
  );
}
