/** The CPU that traces cost: two servers of this code on the same data. One of them sends a trace of each request to a collector. */
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dataset, randomOf } from '../corpus.mjs';
import { startCatalog } from '../servers.mjs';
import { FULL_DATASET } from './core.queries.mjs';

/** Many short rounds: both servers then suffer alike from other programs. */
export const defaults = { seconds: 0.5, rounds: 30 };
/** Reference of the ratios. */
export const comparedWith = 'of untraced';
/** Different names requested in one measurement. */
const NAMES = 1_000;

/** Starts a collector that discards what it gets, and the server that sends it traces. */
export async function servers({ config }) {
  const collector = http.createServer((req, res) => req.resume().on('end', () => res.end()));
  await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${collector.address().port}`;
  const traced = config.replace('.yaml', '-traced.yaml');
  writeFileSync(traced, JSON.stringify({ ...JSON.parse(readFileSync(config)), 'catalog.tracing.endpoint': endpoint }));
  const server = await startCatalog({ config: traced });
  const stop = async () => {
    await server.stop();
    collector.close();
  };
  return { traced: { ...server, stop } };
}

const cpuOf = ({ nodeMs, pgMs }) => nodeMs + pgMs;
/** Of all processes, as in the other suites. */
const GOAL = { text: '≤ 1.10 × the CPU', met: (traced, untraced) => cpuOf(traced) <= 1.1 * cpuOf(untraced) };

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
    const untraced = `${name}, untraced`;
    return [
      { ...row, name: untraced, server: 'catalog' },
      { ...row, name, server: 'traced', to: untraced, ...(name === 'package_show' && { goal: GOAL }) },
    ];
  });
}
