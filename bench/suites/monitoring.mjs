/**
 * The CPU that metrics and traces cost, in catalogs on the same data and in one process. Four count their requests, and four do not. They
 * take turns, and each is measured in both orders. Two catalogs of equal settings differ by up to 10 % in one run on a shared machine, so
 * only the mean of several runs decides less. Traces are compared in one catalog: a caller can ask for none. `/metrics` is what each
 * read of Prometheus costs. The counters of the process itself, such as garbage collections, are on in all rounds.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { dataset, randomOf } from '../corpus.mjs';
import { startTogether } from '../servers.mjs';
import { FULL_DATASET } from './core.queries.mjs';

/** Many short rounds in both orders: all catalogs then suffer alike from other programs. */
export const defaults = { seconds: 0.2, rounds: 120, warmUp: 2, alternating: true };
/** Reference of the ratios. */
export const comparedWith = 'of without';
/** Allows reading the metrics. */
const TOKEN = randomUUID();
/** Different names requested in one measurement. */
const NAMES = 1_000;
/** Connections of each catalog: PostgreSQL allows 100. */
const POOL = 3;

export async function servers({ config }) {
  const collector = http.createServer((req, res) => req.resume().on('end', () => res.end()));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const settings = {
    plain: {},
    counted: { 'catalog.monitoring.token': TOKEN },
    traced: { 'catalog.tracing.endpoint': `http://127.0.0.1:${collector.address().port}` },
  };
  const names = [
    'plain-1',
    'counted-1',
    'counted-2',
    'plain-2',
    'plain-3',
    'counted-3',
    'counted-4',
    'plain-4',
    'traced',
  ];
  const shared = JSON.parse(readFileSync(config));
  const configs = names.map((name) => {
    const path = config.replace('.yaml', `-${name}.yaml`);
    writeFileSync(
      path,
      JSON.stringify({
        ...shared,
        ...settings[name.split('-')[0]],
        'catalog.site_title': name,
        'catalog.database_pool': POOL,
      }),
    );
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

const copiesOf = (kind) => [1, 2, 3, 4].map((nth) => `${kind}-${nth}`);

/** As the ratio in the table. */
const goal = (most) => ({
  text: `≤ ${most.toFixed(2)} × the CPU`,
  met: (own, plain) => plain.perCpuSecond <= most * own.perCpuSecond,
});
const GOALS = { counted: goal(1.03), traced: goal(1.1) };

/** Spans are sent each second: a measurement pays for its own, also for those that are sent after its last request. */
const sending = { server: 'traced', seconds: 1, settle: () => sleep(1_100) };
/** The caller's wish for no trace, and for one. */
const NOT_SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
const SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

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
    const row = { connections: 32, expect: expected[name] ?? '"success":true' };
    const wishing = (traceparent) => requests.map((one) => ({ ...one, headers: { ...one.headers, traceparent } }));
    const [untraced, traced] = [wishing(NOT_SAMPLED), wishing(SAMPLED)];
    const goalOf = (what) => (name === 'package_show' ? { goal: GOALS[what] } : {});
    const without = `${name}, without a trace`;
    return [
      { ...row, name, server: copiesOf('plain'), requests: () => requests },
      {
        ...row,
        name: `${name}, counted`,
        server: copiesOf('counted'),
        requests: () => requests,
        to: name,
        ...goalOf('counted'),
      },
      { ...row, ...sending, name: without, requests: () => untraced },
      { ...row, ...sending, name: `${name}, traced`, requests: () => traced, to: without, ...goalOf('traced') },
    ];
  });
  const authorization = `Bearer ${TOKEN}`;
  const metrics = [{ path: '/metrics', headers: { authorization } }];
  const reads = { name: '/metrics', server: copiesOf('counted'), connections: 1, requests: () => metrics };
  return [...rows, reads];
}
