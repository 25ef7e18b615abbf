/** History of all runs, one per line of history.json: a picture for each suite, and the latest run's table in docs/performance.md. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/stamp.mjs';
import { againstTable } from './against.mjs';
import { bars } from './bars.mjs';
import { beside } from './beside.mjs';
import { picture } from './picture.mjs';
import { aboutOf, tableOf, trialTable } from './table.mjs';

const PAGE = join(root, 'docs/performance.md');
const RESULTS = join(root, 'bench/results');
const ratio = (row) => row.ratio;
const cpu = (row) => row.nodeMs + row.pgMs;
const SEARCHES = [
  ['a word in 0.5 to 2 %, 3 facets, 20 rows', 2, 20],
  ['the same, each asked for the first time'],
  ['a word in about 80 %, 3 facets, 20 rows', 15, 100],
  ['unfiltered, 3 facets, 20 rows', 2, 5],
  ['search(…), page 1000'],
];
const search = (size, goal) => ({
  title: `CPU ms per request of all server processes, ${size} datasets`,
  of: cpu,
  isLog: true,
  series: SEARCHES.map(([name, ...goals]) => ({ name, goal: goals[goal] })),
});

/** Per suite: the picture of its runs, and the reference of its ratios. */
const SUITES = {
  core: {
    file: 'bench.svg',
    title: 'Requests per CPU second of all server processes, 1.0 = a bare server with one statement',
    of: ratio,
    series: [
      { name: 'package_show c1', goal: 0.6 },
      { name: 'package_show c32' },
      { name: 'dataset { … } c1', goal: 0.12 },
      { name: 'dataset { … } c32' },
    ],
  },
  search: { file: 'bench-search.svg', ...search('10,000', 0) },
  'search-large': { file: 'bench-search-large.svg', ...search('100,000', 1) },
  datastore: {
    file: 'bench-datastore.svg',
    title: 'Requests per CPU second of all server processes, 1.0 = a bare server with the same SQL',
    of: ratio,
    series: [
      { name: 'datastore_search, 100 rows c1', goal: 0.5 },
      { name: 'datastore_search, 100 rows c32' },
      { name: 'datastore_search, 32,000 rows', goal: 0.8 },
    ],
  },
  rdf: {
    file: 'bench-rdf.svg',
    title: 'CPU ms per request of all server processes, one dataset',
    of: cpu,
    series: [
      { name: '/dataset/….rdf', goal: 2 },
      { name: '/dataset/….ttl' },
      { name: '/dataset/….jsonld' },
      { name: 'page of a dataset' },
      { name: 'package_show' },
    ],
  },
  statistics: {
    file: 'bench-statistics.svg',
    title: 'CPU ms per request of all server processes, 100,000 datasets',
    of: cpu,
    isLog: true,
    series: [
      { name: 'totals, visitor', goal: 5 },
      { name: 'groups by everything, member' },
      { name: 'timeline, 30 days, visitor' },
      { name: 'timeline, 400 days by organization, sysadmin' },
      { name: 'organizations by datasets, visitor' },
    ],
  },
  postgraphile: {
    file: 'bench-postgraphile.svg',
    comparedWith: 'of PostGraphile',
    draw: (runs) => beside(runs.at(-1)),
  },
};

const HISTORY = join(RESULTS, 'history.json');
/** The latest comparison of each suite with an older state, one line per row. */
const COMPARISONS = join(RESULTS, 'against.json');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** Adds the parts of a run that pictures need. Replaces a run of the same suite, day and commit. */
export function addToHistory({ suite, date, commit, rows }) {
  const entry = {
    suite,
    date,
    commit,
    rows: rows.map(({ name, nodeMs, pgMs, ratio }) => ({ name, nodeMs, pgMs, ratio })),
  };
  const keyOf = (run) => `${run.suite} ${run.date.slice(0, 10)} ${run.commit}`;
  const others = (existsSync(HISTORY) ? readJson(HISTORY) : []).filter((run) => keyOf(run) !== keyOf(entry));
  const runs = [...others, entry].sort((a, b) => (a.date < b.date ? -1 : 1));
  writeFileSync(HISTORY, `[\n${runs.map((run) => JSON.stringify(run)).join(',\n')}\n]\n`);
}

/** Stores a comparison in the place of the suite's last one. Returns the file's name. */
export function keepComparison(run) {
  const kept = existsSync(COMPARISONS) ? readJson(COMPARISONS) : [];
  const runs = [...kept.filter(({ suite }) => suite !== run.suite), run].sort((a, b) => (a.suite < b.suite ? -1 : 1));
  const texts = runs.map(({ rows, ...about }) => {
    const lines = rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n');
    return `${JSON.stringify(about).slice(0, -1)},"rows":[\n${lines}\n]}`;
  });
  writeFileSync(COMPARISONS, `[\n${texts.join(',\n')}\n]\n`);
  return 'bench/results/against.json';
}

/** Writes all pictures and tables. Skips suites without a run. */
export function history() {
  const kept = readJson(HISTORY);
  for (const [suite, { file, comparedWith, draw = picture, ...about }] of Object.entries(SUITES)) {
    const runs = kept.filter((run) => run.suite === suite);
    if (runs.length === 0) continue;
    const latest = readJson(join(RESULTS, suite === 'core' ? 'latest.json' : `latest-${suite}.json`));
    writeFileSync(join(root, 'docs', file), draw([...runs.slice(0, -1), latest], about));
    const trials = latest.trials ? `\n\n${trialTable(latest.trials)}` : '';
    putTable(`run: ${suite}`, `${aboutOf(latest)}\n\n${tableOf(latest.rows, comparedWith)}${trials}`);
  }
  for (const run of existsSync(COMPARISONS) ? readJson(COMPARISONS) : []) {
    if (run.suite === 'actions') writeFileSync(join(root, 'docs/bench-actions.svg'), bars(run));
    putTable(`against: ${run.suite}`, `${aboutOf(run)}\nOlder state: ${run.older}.\n\n${againstTable(run)}`);
  }
}

/** Replaces the text between `<!-- run: SUITE -->` and `<!-- end: SUITE -->`, or `<!-- against: SUITE -->` and `<!-- end: against: SUITE -->`. */
function putTable(name, table) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end: ${name.replace('run: ', '')} -->`];
  const [before, rest] = readFileSync(PAGE, 'utf8').split(begin);
  if (!rest?.includes(end)) throw new Error(`docs/performance.md has no place for a table: ${begin} … ${end}`);
  writeFileSync(PAGE, `${before}${begin}\n${table}\n${end}${rest.slice(rest.indexOf(end) + end.length)}`);
}
