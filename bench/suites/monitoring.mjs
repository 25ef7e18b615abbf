/**
 * The CPU that metrics and traces cost: three servers of this code on the same data. One counts its requests and is asked for its metrics
 * every second. One sends a trace of each request to a collector.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dataset, randomOf } from '../corpus.mjs';
import { startCatalog } from '../servers.mjs';
import { FULL_DATASET } from './core.queries.mjs';

/** Many short rounds: all servers then suffer alike from other programs. */
export const defaults = { seconds: 0.5, rounds: 30 };
/** Reference of the ratios. */
export const comparedWith = 'of neither';
/** Different names requested in one measurement. */
const NAMES = 1_000;
/** ms between two reads of the metrics. Prometheus reads every 15 s or less often. */
const SCRAPE = 1_000;

export async function servers({ config }) {
  const start = (name, settings) => {
    const path = config.replace('.yaml', `-${name}.yaml`);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(config)), ...settings }));
    return startCatalog({ config: path });
  };
  return { counted: await counted(start), traced: await traced(start) };
}

/** A server with metrics, and a reader of them. */
async function counted(start) {
  const token = randomUUID();
  const server = await start('counted', { 'catalog.monitoring.token': token });
  const headers = { authorization: `Bearer ${token}` };
  const read = async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`, { headers });
    const text = await answer.text();
    if (!text.includes('catalog_build_info{')) throw new Error(`no metrics: ${answer.status} ${text.slice(0, 200)}`);
  };
  await read();
  const reading = setInterval(read, SCRAPE);
  const stop = async () => {
    clearInterval(reading);
    await server.stop();
  };
  return { ...server, stop };
}

/** A server with traces, and a collector that discards them. */
async function traced(start) {
  const collector = http.createServer((req, res) => req.resume().on('end', () => res.end()));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${collector.address().port}`;
  const server = await start('traced', { 'catalog.tracing.endpoint': endpoint });
  const stop = async () => {
    await server.stop();
    collector.close();
  };
  return { ...server, stop };
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
  return Object.entries(asked).flatMap(([name, requests]) => {
    const row = { connections: 32, expect: expected[name] ?? '"success":true', requests: () => requests };
    const own = (server) => ({
      ...row,
      name: `${name}, ${server}`,
      server,
      to: name,
      ...(name === 'package_show' && { goal: GOALS[server] }),
    });
    return [{ ...row, name, server: 'catalog' }, own('counted'), own('traced')];
  });
}
