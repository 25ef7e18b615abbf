/** One benchmark run: data, servers, measurements, table, files. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/stamp.mjs';
import { againstTable, compared, comparedTrials, paired, startOlder } from './against.mjs';
import { cpuIsKnown } from './cpu.mjs';
import { openData, removeWritten } from './data.mjs';
import { addToHistory, keepComparison } from './history.mjs';
import { measureAll, summarize } from './measure.mjs';
import { startCatalog, startFloor, startLoad } from './servers.mjs';
import { tableOf } from './table.mjs';

/** Default number of datasets, unless the caller or the suite (`size`) sets another. */
export const DATASETS = 10_000;

/**
 * Runs one suite and prints its table. A suite has `measurements`, and optionally: `defaults`, its seconds, rounds and `slices`, seconds of
 * `warmUp`, and `settle`, which waits until the processes are idle; `trials`, which it measures itself after the others because they are
 * not requests of a few ms; `servers`, additional processes; `prepare`, which fills the floor; `comparedWith`, the reference of its ratios;
 * and `againstGoal`. `against` is the folder of an older checkout to measure in turns. Returns the run in its stored form.
 */
export async function bench({ suite, only, say, ...options }) {
  const { against } = options;
  if (!cpuIsKnown) say('CPU figures need Linux: only requests per second and percentiles will be shown.');
  const {
    measurements,
    prepare,
    size,
    defaults,
    trials,
    servers: more,
    ...about
  } = await import(`./suites/${suite}.mjs`);
  const { datasets = size ?? DATASETS, seconds = defaults?.seconds ?? 0.6, rounds = defaults?.rounds ?? 10 } = options;
  return withServers({ say, more, ...options, datasets }, async ({ data, servers, generator, older }) => {
    const { catalog, peer } = servers;
    const toolsOf = async (server, data, folder) => ({
      datasets,
      data,
      ask: askOf(server),
      askPeer: peer && askOf(peer),
      write: writeOf(server, generator),
      queries: await queriesOf(suite, folder),
    });
    const tools = await toolsOf(catalog, data, root);
    const theirTools = older && (await toolsOf(older.server, older.data, resolve(against)));
    const own = choose(await measurements(tools), only);
    const chosen = older ? paired(own, await measurements(theirTools)) : own;
    await prepare?.(servers, chosen);
    const { postmaster } = data;
    const { warmUp, slices, settle } = defaults ?? {};
    const found = await measureAll({
      measurements: chosen,
      rounds,
      seconds,
      warmUp,
      slices,
      settle,
      servers,
      generator,
      postmaster,
      say,
    });
    const rows = summarize(found, chosen);
    const run = described({ suite, datasets, seconds: seconds * (slices ?? 1), rounds, data });
    const tryAll = trials && only.length === 0;
    if (!older) {
      say(`\n${tableOf(rows, about.comparedWith)}\n`);
      const tried = tryAll ? await trials({ ...tools, servers, say }) : undefined;
      return { ...run, rows, ...(tried && { trials: tried }) };
    }
    const comparison = { ...run, older: older.commit, rows: compared(rows, about.againstGoal) };
    say(`\n${againstTable(comparison)}\n`);
    if (!tryAll) return comparison;
    const [ours, theirs] = [
      await trials({ ...tools, servers, say }),
      await trials({ ...theirTools, servers: { catalog: older.server }, say }),
    ];
    return { ...comparison, trials: comparedTrials(ours, theirs) };
  });
}

/** Opens the data and starts the processes for one piece of work. Always stops them afterwards. */
async function withServers({ datasets, fresh, settings, profile, against, say, more = async () => ({}) }, work) {
  const closing = [];
  const until = (close, opened) => {
    closing.unshift(() => close(opened));
    return opened;
  };
  try {
    const data = until(({ close }) => close(), await openData({ datasets, fresh, settings, say }));
    await removeWritten(data);
    until(removeWritten, data);
    const floor = until(({ stop }) => stop(), await startFloor(data));
    const catalog = until(({ stop }) => stop(), await startCatalog({ config: data.config, profile }));
    const others = await more(data);
    for (const other of Object.values(others)) until(({ stop }) => stop(), other);
    const older = against ? await startOlder(against, { datasets, fresh, say, until }) : undefined;
    const generator = until(({ stop }) => stop(), startLoad());
    return await work({
      data,
      servers: { ...others, floor, catalog, ...(older && { older: older.server }) },
      generator,
      older,
    });
  } finally {
    for (const close of closing) await close();
  }
}

/** The suite's GraphQL queries in a checkout, because field names differ between states. Empty for suites without. */
async function queriesOf(suite, folder) {
  const file = join(folder, 'bench/suites', `${suite}.queries.mjs`);
  return existsSync(file) ? import(pathToFileURL(file)) : {};
}

/** Measurements whose name starts with one of the words, and their references. */
function choose(all, only) {
  if (only.length === 0) return all;
  const wanted = all.filter(({ name }) => only.some((word) => name.startsWith(word)));
  if (wanted.length === 0)
    throw new Error(`no measurement is called so; there are: ${all.map(({ name }) => name).join(', ')}`);
  return all.filter((row) => wanted.includes(row) || wanted.some(({ to }) => to === row.name));
}

const askOf =
  ({ port }) =>
  async ({ method, path, headers, body }) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body })).json();

const writeOf =
  ({ port }, generator) =>
  async (requests) => {
    const { errors, firstError } = await generator.run({
      port,
      requests,
      connections: 4,
      seconds: 60,
      expect: '"success":true',
      once: true,
    });
    if (errors > 0) throw new Error(firstError);
  };

const described = ({ suite, datasets, seconds, rounds, data }) => ({
  suite,
  date: new Date().toISOString(),
  commit: commit(),
  options: { datasets, seconds, rounds },
  machine: {
    processors: cpus().length,
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    postgresql: data.postgresVersion,
  },
});

/** The measured commit; with + when files differ from it. */
function commit() {
  const git = (...words) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain', '--', 'src', 'facades', 'schema', 'prisma', 'package-lock.json');
    return git('rev-parse', '--short', 'HEAD') + (changed ? '+' : '');
  } catch {
    return 'unknown';
  }
}

/**
 * Stores a whole run of the usual size as the latest of its suite, and its CPU and ratios in the history; or a comparison with an older state
 * as the latest one of its suite. Returns the file's name.
 */
export function keep(run) {
  const stored = JSON.parse(JSON.stringify(run, rounded));
  const folder = join(root, 'bench/results');
  mkdirSync(folder, { recursive: true });
  if (run.older) return keepComparison(stored);
  const name = run.suite === 'core' ? 'latest.json' : `latest-${run.suite}.json`;
  writeFileSync(join(folder, name), `${JSON.stringify(stored, null, 1)}\n`);
  addToHistory(stored);
  return `bench/results/${name}`;
}
const rounded = (_key, value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);
