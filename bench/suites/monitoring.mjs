/**
 * The CPU that metrics and traces cost. Three processes have three catalogs each, on the same data: with neither, with metrics, and with
 * traces of all requests. In each round, each process serves one of the three, in short turns, and the next round exchanges them: so neither
 * a difference of two processes nor a slow minute counts (rounds: a multiple of three). `/metrics` is what each read of Prometheus costs.
 * The counters of the process itself, such as garbage collections, are on in all of them.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataset, randomOf } from '../corpus.mjs';
import { startTogether } from '../servers.mjs';
import { FULL_DATASET } from './core.queries.mjs';

/** Spans are sent each second: a round pays for its own, also for those that are sent after its last request. */
export const defaults = { seconds: 0.2, rounds: 30, slices: 10, warmUp: 2, settle: () => sleep(1_100) };
/** Reference of the ratios. */
export const comparedWith = 'of without';
/** Allows reading the metrics. */
const TOKEN = randomUUID();
/** Different names requested in one measurement. */
const NAMES = 1_000;
/** Connections of each catalog: PostgreSQL allows 100. */
const POOL = 3;

const KINDS = ['plain', 'counted', 'traced'];
const PROCESSES = [0, 1, 2];
const nameOf = (kind, process) => `${kind}-${process}`;

export async function servers({ config }) {
  const collector = http.createServer((req, res) => req.resume().on('end', () => res.end()));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const settings = {
    plain: {},
    counted: { 'catalog.monitoring.token': TOKEN },
    traced: { 'catalog.tracing.endpoint': `http://127.0.0.1:${collector.address().port}` },
  };
  const shared = JSON.parse(readFileSync(config));
  const byName = { collector: { stop: () => collector.close() } }; // the first one is stopped last
  for (const process of PROCESSES) {
    const names = KINDS.map((kind) => nameOf(kind, process));
    const configs = KINDS.map((kind, at) => {
      const path = config.replace('.yaml', `-${names[at]}.yaml`);
      const own = { ...settings[kind], 'catalog.site_title': names[at], 'catalog.database_pool': POOL };
      writeFileSync(path, JSON.stringify({ ...shared, ...own }));
      return path;
    });
    const started = await startTogether(configs, names);
    for (const [at, name] of names.entries()) byName[name] = started[at];
  }
  return byName;
}

/** The catalogs of a kind, in the order of rounds: in each round, the kinds are in different processes. */
const turnsOf = (kind) => PROCESSES.map((process) => nameOf(kind, (process + KINDS.indexOf(kind)) % PROCESSES.length));

const goal = (most) => ({ text: `≤ ${most.toFixed(2)} × the CPU`, met: ({ ratio }) => 1 / ratio <= most });
const GOALS = { counted: goal(1.03), traced: goal(1.1) };

export async function measurements({ datasets }) {
  const random = randomOf('traces');
  const isPublic = Array.from({ length: datasets }, (_, i) => dataset(i)).filter((one) => !one.private);
  const names = Array.from({ length: NAMES }, () => random.pick(isPublic).name);
  const headers = { 'content-type': 'application/json' };
  const asked = {
    package_show: names.map((id) => ({ path: `/api/3/action/package_show?id=${id}` })),
    'dataset { … }': names.map((name) => ({
      method: 'POST',
      path: '/graphql',
      headers,
      body: JSON.stringify({ query: FULL_DATASET, variables: { name } }),
    })),
    package_search: [{ path: '/api/3/action/package_search?rows=10' }],
  };
  const expected = { 'dataset { … }': '{"data":{"dataset":{' };
  const rows = Object.entries(asked).flatMap(([name, requests]) => {
    const row = { connections: 32, expect: expected[name] ?? '"success":true', requests: () => requests, group: name };
    const others = Object.entries(GOALS).map(([kind, goal]) => ({
      ...row,
      name: `${name}, ${kind}`,
      server: turnsOf(kind),
      to: name,
      ...(name === 'package_show' && { goal }),
    }));
    return [{ ...row, name, server: turnsOf('plain') }, ...others];
  });
  const authorization = `Bearer ${TOKEN}`;
  const metrics = [{ path: '/metrics', headers: { authorization } }];
  const reads = { name: '/metrics', server: turnsOf('counted'), connections: 1, requests: () => metrics };
  return [...rows, reads];
}
