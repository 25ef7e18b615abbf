/** The last run beside PostGraphile: docs/bench-postgraphile.svg, and its table in docs/performance.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOr, root } from '../scripts/stamp.mjs';
import { aboutOf, tableOf } from './table.mjs';

const LATEST = 'bench/results/latest-postgraphile.json';
const PAGE = 'docs/performance.md';
const MARKS = /<!-- (?:beside PostGraphile|end of it) -->/;
const [WIDTH, ROW, LEFT, ROOM] = [760, 52, 170, 430];

/** Writes both; without a run there is nothing to show. */
export function beside() {
  const text = readOr(LATEST, '');
  if (text === '') return;
  const run = JSON.parse(text);
  writeFileSync(join(root, 'docs/bench-postgraphile.svg'), picture(run.rows.filter(({ ratio }) => ratio)));
  const [before, , after] = readFileSync(join(root, PAGE), 'utf8').split(MARKS);
  if (after === undefined) return;
  const table = `<!-- beside PostGraphile -->\n${aboutOf(run)}\n\n${tableOf(run.rows, 'of PostGraphile')}\n<!-- end of it -->`;
  writeFileSync(join(root, PAGE), `${before}${table}${after}`);
}

/** A pair of bars for each request: PostGraphile's is as long everywhere. */
function picture(rows) {
  const unit = ROOM / Math.max(3, ...rows.map(({ ratio }) => ratio));
  const bar = (top, length, color) =>
    `<rect x="${LEFT}" y="${top}" width="${length.toFixed(1)}" height="16" fill="${color}"/>`;
  const text = (x, y, content, extra = '') => `<text x="${x.toFixed(1)}" y="${y}" ${extra}>${content}</text>`;
  const pairs = rows.flatMap(({ name, ratio, goal }, i) => {
    const top = 40 + i * ROW;
    return [
      text(LEFT - 8, top + 21, name, 'text-anchor="end"'),
      bar(top, ratio * unit, '#1668b8'),
      text(LEFT + ratio * unit + 6, top + 12, `${ratio.toFixed(2)} (goal ${goal.text.replace(' PostGraphile', '')})`),
      bar(top + 18, unit, '#999'),
      text(LEFT + unit + 6, top + 30, '1 PostGraphile', 'fill="#777"'),
    ];
  });
  const title = 'Requests per CPU second of all server processes, PostGraphile = 1';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${50 + rows.length * ROW}" font-family="sans-serif" font-size="11" fill="#333">
<title>${title}</title>
<rect width="100%" height="100%" fill="#fff"/>
${[text(8, 20, title, 'font-size="13"'), ...pairs].join('\n')}
</svg>
`;
}
