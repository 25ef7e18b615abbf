/** `npm run soak`: mixed requests at a fixed rate against a server of its own, for 30 minutes. See docs/performance.md. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

const USAGE = `npm run soak -- [--minutes 30] [--rate 20] [--datasets 1000]
  --minutes    length; memory and latency are compared after the first 5, so at least 8
  --rate       requests per second
  --datasets   size of the catalog, which is loaded first
The exit code is 0 if memory after a forced collection and latency are flat, and no response had a status of 400 or more.
The figures are written to .cache/soak. A run of at least 30 minutes that passed replaces the pictures of docs/performance.md.`;
const WHOLE = 30;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(WHOLE) },
    rate: { type: 'string', default: '20' },
    datasets: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});
const [minutes, rate, datasets] = [values.minutes, values.rate, values.datasets].map(Number);
if (values.help || !(minutes >= 8 && rate > 0 && datasets >= 101)) {
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
} else await run();

async function run() {
  await prepare();
  const [{ startServer }, { prepareRequests }, { measure }, { verdict }] = await Promise.all(
    ['server', 'requests', 'measure', 'verdict'].map((name) => import(`../bench/soak/${name}.mjs`)),
  );
  const folder = mkdtempSync(join(tmpdir(), 'catalog-soak-'));
  const server = await startServer(folder);
  try {
    const requests = await prepareRequests({ ...server, datasets, say: console.log });
    console.log(`${minutes} minutes, ${rate} requests per second, load of the machine ${loadavg()[0].toFixed(1)}`);
    const done = await measure({ server, requests, minutes, rate, report: (row) => console.log(lineOf(row)) });
    const faults = verdict(done.rows);
    const { closed, silent } = done.streams;
    if (closed + silent > 0) faults.push(`Of the streams of changes, ${closed} ended and ${silent} sent nothing.`);
    await keep({ ...done, faults });
    for (const example of done.examples) console.log(example);
    console.log(faults.length === 0 ? 'Passed.' : faults.join('\n'));
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function lineOf({ minute, sent, lost, failed, refused, p50, p95, p99, live, resident, cpu }) {
  const responses = `${sent} requests, ${failed} failed, ${refused} refused, ${lost} without response`;
  const memory = `live ${live.toFixed(1)} MiB, resident ${resident.toFixed(0)} MiB`;
  return `minute ${minute}: ${responses}; p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms; ${memory}; ${cpu.toFixed(1)} ms of CPU each`;
}

async function keep({ rows, ...rest }) {
  const { draw } = await import('../bench/soak/picture.mjs');
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  const about = {
    date: new Date().toISOString(),
    commit,
    node: process.version,
    processors: cpus().length,
    minutes,
    rate,
    datasets,
  };
  const pictures = {
    memory: {
      title: 'Memory after a collection',
      unit: 'MiB',
      series: { live: ({ live }) => live, resident: ({ resident }) => resident },
    },
    latency: { title: 'Latency', unit: 'ms', series: { p50: ({ p50 }) => p50, p95: ({ p95 }) => p95 } },
  };
  const folders = [
    join(root, '.cache/soak'),
    ...(minutes >= WHOLE && rest.faults.length === 0 ? [join(root, 'docs')] : []),
  ];
  mkdirSync(folders[0], { recursive: true });
  writeFileSync(join(folders[0], 'latest.json'), `${JSON.stringify({ ...about, ...rest, rows }, null, 2)}\n`);
  for (const folder of folders)
    for (const [name, picture] of Object.entries(pictures))
      writeFileSync(join(folder, `soak-${name}.svg`), draw(rows, picture));
}
