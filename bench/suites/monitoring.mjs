/**
 * The CPU that metrics and traces cost: four catalogs on the same data, in one process. One counts its requests. One sends a trace of
 * each request to a collector. Two do neither: their ratio is the error of the run. `/metrics` is what each read of Prometheus costs.
 * The counters of the process itself, such as garbage collections, are on in all rounds.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dataset, randomOf } from '../corpus.mjs';
import { startTogether } from '../servers.mjs';
import { FULL_DATASET } from './core.queries.mjs';

/** Many short rounds in both orders: all catalogs then suffer alike from other programs and from the row before. */
export const defaults = { seconds: 0.2, rounds: 300, warmUp: 2, alternating: true };
/** Reference of the ratios. */
export const comparedWith = 'of neither';
/** Allows reading the metrics. */
const TOKEN = randomUUID();
/** Different names requested in one measurement. */
const NAMES = 1_000;

export async function servers({ config }) {
  const collector = http.createServer((req, res) => req.resume().on('end', () => res.end()));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const settings = {
    neither: {},
    second: {},
    counted: { 'catalog.monitoring.token': TOKEN },
    traced: { 'catalog.tracing.endpoint': `http://127.0.0.1:${collector.address().port}` },
  };
  const names = Object.keys(settings);
  const shared = JSON.parse(readFileSync(config));
  const configs = names.map((name) => {
    const path = config.replace('.yaml', `-${name}.yaml`);
    writeFileSync(path, JSON.stringify({ ...shared, ...settings[name], 'catalog.site_title': name }));
    return path;
  });
  const started = await startTogether(configs, names);
  const byName = Object.fromEntries(names.map((name, at) => [name, started[at]]));
  const { traced } = byName;
  const stop = async () => {
    await traced.stop();
    collector.close();
  };
  return { ...byName, traced: { ...traced, stop } };
}

const cpuOf = ({ nodeMs, pgMs }) => nodeMs + pgMs;
/** Of all processes, as in the other suites. */
const goal = (most) => ({
  text: `≤ ${most.toFixed(2)} × the CPU`,
  met: (own, plain) => cpuOf(own) <= most * cpuOf(plain),
});
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
    const row = { connections: 32, expect: expected[name] ?? '"success":true', requests: () => requests };
    const own = (server) => ({
      ...row,
      name: `${name}, ${server}`,
      server,
      to: name,
      ...(name === 'package_show' && { goal: GOALS[server] }),
    });
    return [{ ...row, name, server: 'neither' }, own('second'), own('counted'), own('traced')];
  });
  const authorization = `Bearer ${TOKEN}`;
  const metrics = [{ path: '/metrics', headers: { authorization } }];
  const reads = { name: '/metrics', server: 'counted', connections: 1, requests: () => metrics };
  return [...rows, reads];
}
