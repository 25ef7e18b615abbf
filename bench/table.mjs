/** Formats the table of one run as Markdown that is also readable on a terminal. */

const columnsOf = (comparedWith) => [
  ['request', (row) => row.name],
  ['req/s', (row) => number(row.perSecond)],
  ['p50 ms', (row) => number(row.p50)],
  ['p90 ms', (row) => number(row.p90)],
  ['p99 ms', (row) => number(row.p99)],
  ['node CPU ms', (row) => number(row.nodeMs)],
  ['PostgreSQL CPU ms', (row) => number(row.pgMs)],
  ['req per CPU s', (row) => number(row.perCpuSecond)],
  [comparedWith, (row) => number(row.ratio)],
  ['± %', (row) => (row.error ? (row.error * 100).toFixed(1) : '')],
  ['kB', (row) => number(row.bytes / 1000)],
  ['errors', (row) => String(row.errors)],
  ['goal', (row) => (row.goal ? `${row.goal.text}${row.goal.met ? ' ✓' : ' MISSED'}` : '')],
];

/** Date, machine and options of a run. */
export const aboutOf = ({ date, commit, machine, options }) =>
  `Run of ${date.slice(0, 10)} at commit ${commit}: ${machine.processors} processors, Node ${machine.node}, PostgreSQL ${machine.postgresql}; ${options.datasets} datasets, medians of ${options.rounds} rounds of ${options.seconds} s.`;

/** `comparedWith` is the heading of the column of ratios. */
export function tableOf(rows, comparedWith = 'of the floor') {
  const columns = columnsOf(comparedWith);
  const cells = [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i].length)));
  const isText = (i) => i === 0 || i === columns.length - 1;
  const line = (row) =>
    `| ${row.map((cell, i) => (isText(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join(' | ')} |`;
  const rule = `| ${widths.map((width, i) => (isText(i) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n');
}

export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return '';
  if (value < 0) return `−${number(-value)}`;
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(value >= 1 ? 2 : 3);
}

/** The table of trials, measured once as a whole: tables read to their end. */
export function trialTable(rows) {
  const fixed = (value, digits = 1) => (value === null || value === undefined ? '' : value.toFixed(digits));
  const goal = ({ text, met }) => `${text}, ${met ? 'met' : 'MISSED'}`;
  return [
    '| whole table | s | MB | node CPU s | PostgreSQL CPU s | of COPY | MiB above idle | goal |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows.map(
      ({ name, seconds, bytes, node, pg, ratio, above, goals }) =>
        `| ${name} | ${fixed(seconds)} | ${fixed(bytes && bytes / 1e6, 0)} | ${fixed(node)} | ${fixed(pg)} | ${fixed(ratio, 2)} | ${fixed(above, 0)} | ${goals.map(goal).join('; ')} |`,
    ),
  ].join('\n');
}
