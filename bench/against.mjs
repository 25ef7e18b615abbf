/** Measures an older state beside this one: the same requests to both servers in turns, each with its own data and database. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { number } from './table.mjs';

const MARK = ' (older)';
/** Goal of a request, unless the suite has its own (`againstGoal`). */
const USUAL = { text: '≤ 1.05 ×', met: ({ ratio }) => ratio <= 1.05 };

/**
 * Opens the data of another checkout and starts its server, both by that checkout's own bench. `until(close, opened)` registers what must be
 * closed.
 */
export async function startOlder(folder, { datasets, fresh, say, until }) {
  const theirs = (file) => import(pathToFileURL(join(resolve(folder), file)));
  await (await theirs('scripts/prepare.mjs')).prepare();
  const { openData, removeWritten } = await theirs('bench/data.mjs');
  const { startCatalog } = await theirs('bench/servers.mjs');
  const data = until(({ close }) => close(), await openData({ datasets, fresh, say }));
  await removeWritten(data);
  until(removeWritten, data);
  const server = until(({ stop }) => stop(), await startCatalog({ config: data.config }));
  return { data, server: { ...server, database: data.postmaster }, commit: commitOf(folder) };
}

export const commitOf = (folder) =>
  execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();

/** Each request to the catalog twice in a row, first to the older server. Requests to other servers are omitted. */
export function paired(ours, theirs) {
  const older = new Map(theirs.map((row) => [row.name, row]));
  return ours
    .filter(({ server }) => server === 'catalog')
    .flatMap((row) => [{ ...older.get(row.name), name: row.name + MARK, server: 'older' }, row]);
}

/** Rows of a paired run: CPU of both states per request, in ms, and bytes of their responses. Medians of the rounds. */
export function compared(rows, goal = USUAL) {
  const older = new Map(rows.map((row) => [row.name, row]));
  return rows
    .filter(({ name }) => older.has(name + MARK))
    .map(({ name, nodeMs, pgMs, bytes, errors }) => {
      const before = older.get(name + MARK);
      const [now, then] = [nodeMs + pgMs, before.nodeMs + before.pgMs];
      const row = { name, olderNodeMs: before.nodeMs, olderPgMs: before.pgMs, nodeMs, pgMs };
      const sizes = { bytes, olderBytes: before.bytes };
      const figures = { ...row, ratio: now / then, more: now - then, ...sizes, errors: errors + before.errors };
      return { ...figures, goal: { text: goal.text, met: goal.met(figures) } };
    });
}

/** Rows of trials of both states: seconds and CPU. */
export const comparedTrials = (ours, theirs) =>
  ours.flatMap((row) => {
    const before = theirs.find(({ name }) => name === row.name);
    const cpu = ({ node, pg }) => node + pg;
    // Not measured, or not memory, such as bytes of scripts.
    if (typeof row.above !== 'number' || typeof before?.above !== 'number') return [];
    const ratio = cpu(row) / cpu(before);
    return [
      { name: row.name, olderCpu: cpu(before), cpu: cpu(row), olderAbove: before.above, above: row.above, ratio },
    ];
  });

export function againstTable({ rows, trials }) {
  const cell = ({ goal }) => `${goal.text}${goal.met ? ' ✓' : ' MISSED'}`;
  // Data of the two states can differ, and a longer response costs more.
  const ofBytes = (row) => row.bytes / row.olderBytes;
  const cells = (row) =>
    [row.olderNodeMs, row.olderPgMs, row.nodeMs, row.pgMs, row.more, row.ratio, ofBytes(row)].map(number);
  const main = [
    '| request | older: node ms | older: PostgreSQL ms | node ms | PostgreSQL ms | ms more | ratio | bytes ratio | goal |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
    ...rows.map((row) => `| ${[row.name, ...cells(row), cell(row)].join(' | ')} |`),
  ];
  const others = trials?.length && [
    '',
    '| whole table | older: CPU s | CPU s | older: MiB above idle | MiB above idle | ratio |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...trials.map(({ name, ...row }) => {
      const figures = [row.olderCpu, row.cpu, row.olderAbove, row.above, row.ratio].map((value) => value.toFixed(2));
      return `| ${[name, ...figures].join(' | ')} |`;
    }),
  ];
  return [...main, ...(others || [])].join('\n');
}
