/** Draws an SVG with a line per request over the recorded runs of a suite. */
const [WIDTH, HEIGHT] = [860, 360];
const PLOT = { left: 50, right: 560, top: 40, bottom: 300 };
const KEY = PLOT.right + 30;
const COLORS = ['#1668b8', '#b2531b', '#2c7a3f', '#7b3f9d', '#7a6a00', '#0b7f86'];

const text = (x, y, content, extra = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${extra}>${escaped(content)}</text>`;
const escaped = (content) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * `title` is the heading; each of `series` is `{ name, goal? }`, a row's name and its goal; `of` returns the value of a row (null: none).
 * `isLog` selects a logarithmic axis, for values of different magnitude. The oldest run is first.
 */
export function picture(runs, { title, series, of, isLog = false }) {
  const shown = series
    .map((one, i) => ({
      ...one,
      color: COLORS[i % COLORS.length],
      values: runs.map((run) => valueIn(run, one.name, of)),
    }))
    .filter(({ values }) => values.some((value) => value !== null));
  const all = shown.flatMap(({ values, goal }) => [...values, goal ?? null]).filter((value) => value !== null);
  const { y, ticks } = isLog ? logAxis(all) : linearAxis(all);
  const x = (i) => PLOT.left + (runs.length === 1 ? 0.5 : i / (runs.length - 1)) * (PLOT.right - PLOT.left);
  const grid = ticks.flatMap((value) => [
    `<path d="M${PLOT.left} ${y(value).toFixed(1)}H${PLOT.right}" stroke="#ddd"/>`,
    text(PLOT.left - 8, y(value) + 4, String(value), 'text-anchor="end"'),
  ]);
  const lines = shown.flatMap((one, i) => [...lineOf(one, x, y), ...keyOf(one, i)]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11" fill="#333">
<title>${escaped(title)}, over the recorded runs</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${[text(PLOT.left, 20, title, 'font-size="13"'), ...grid, ...lines, ...labelsOf(runs, x)].join('\n')}
</svg>
`;
}

function valueIn(run, name, of) {
  const row = run.rows.find((one) => one.name === name);
  return row ? of(row) : null;
}

function linearAxis(values) {
  const most = Math.max(1, ...values);
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((one) => most / one <= 8) ?? most / 8;
  return {
    y: (value) => PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top),
    ticks: Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => Number((i * step).toFixed(2))),
  };
}

function logAxis(values) {
  const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
  const least = ticks.findLast((tick) => tick <= Math.min(...values)) ?? ticks[0];
  const most = ticks.find((tick) => tick >= Math.max(...values)) ?? ticks.at(-1);
  const part = (value) => Math.log(value / least) / Math.log(most / least);
  return {
    y: (value) => PLOT.bottom - part(value) * (PLOT.bottom - PLOT.top),
    ticks: ticks.filter((tick) => tick >= least && tick <= most),
  };
}

function lineOf({ values, color, goal }, x, y) {
  const points = values.flatMap((value, i) => (value === null ? [] : [[x(i).toFixed(1), y(value).toFixed(1)]]));
  const path = points.map(([left, top], i) => `${i ? 'L' : 'M'}${left} ${top}`).join('');
  return [
    ...(goal === undefined
      ? []
      : [`<path d="M${PLOT.left} ${y(goal).toFixed(1)}H${PLOT.right}" stroke="${color}" stroke-dasharray="1 4"/>`]),
    `<path d="${path}" fill="none" stroke="${color}" stroke-width="2"/>`,
    ...points.map(([left, top]) => `<circle cx="${left}" cy="${top}" r="3.5" fill="${color}"/>`),
  ];
}

function keyOf({ name, color, goal, values }, i) {
  const top = PLOT.top + i * 36;
  const last = values.findLast((value) => value !== null);
  const second = `last ${Number(last.toPrecision(3))}${goal === undefined ? '' : `, goal ${goal} (dotted)`}`;
  return [
    `<path d="M${KEY} ${top}h24" stroke="${color}" stroke-width="2"/>`,
    text(KEY + 32, top + 4, name),
    text(KEY + 32, top + 18, second, 'fill="#777"'),
  ];
}

function labelsOf(runs, x) {
  const every = Math.ceil(runs.length / 8);
  return runs.flatMap(({ date, commit }, i) =>
    i % every === 0 || i === runs.length - 1
      ? [
          text(x(i), PLOT.bottom + 18, date.slice(5, 10), 'text-anchor="middle"'),
          text(x(i), PLOT.bottom + 32, commit, 'text-anchor="middle" fill="#777"'),
        ]
      : [],
  );
}
