/**
 * `npm run bench [SUITE]`: measures the catalog beside minimal reference servers, in one run on one data set. `npm run bench history` draws
 * the pictures and tables of docs/performance.md from the runs in bench/results. See docs/performance.md.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare } from './prepare.mjs';
import { root } from './stamp.mjs';

const USAGE = `npm run bench -- [SUITE] [--datasets N] [--seconds 0.6] [--rounds 10] [--only NAME …] [--against FOLDER] [--set KEY=VALUE …] [--fresh] [--profile]
  SUITE        a file of bench/suites; core when left out. history: no run, only pictures and tables of the runs kept.
               memory: no times, only the memory of a server whose caches are full
  --datasets   10,000 where the suite does not say otherwise; runs of another size are not kept
  --seconds    length of one measurement; some suites have another default
  --only       measurements whose names begin so; may be repeated. Such runs are not kept.
  --against    folder of an older checkout of this project: both states are measured in turns and compared
  --set        a setting of the measured server, not of an older one, such as catalog.usage.enabled=false; may be repeated. Not kept.
  --fresh      loads the data again
  --profile    writes a CPU profile of the server below .cache/bench/profiles and prints where the time went; not kept

npm run bench -- peer --first URL --second URL [--first-pids LIST] [--second-pids LIST] [--requests FILE] [--rounds 10] [--seconds 0.6] [--only NAME …]
  Two running servers beside each other. Prints the first one's CPU per request divided by the second one's.
  --first-pids, --second-pids   all processes of a server, with their descendants: ids, files with an id, or /patterns/ of command lines,
               separated by commas. Without both, the table has wall time.
  --requests   a file like bench/peer.requests.json, the default`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    datasets: { type: 'string' },
    seconds: { type: 'string' },
    rounds: { type: 'string' },
    against: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    set: { type: 'string', multiple: true, default: [] },
    fresh: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    first: { type: 'string' },
    second: { type: 'string' },
    'first-pids': { type: 'string' },
    'second-pids': { type: 'string' },
    requests: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const [suite = 'core'] = positionals;
const [datasets, seconds, rounds] = [values.datasets, values.seconds, values.rounds].map((text) =>
  text === undefined ? undefined : Number(text),
);

if (values.help || ![datasets, seconds, rounds].every((value = 1) => value > 0)) console.log(USAGE);
else if (suite === 'history') await (await import('../bench/history.mjs')).history();
else if (suite === 'peer') await beside();
else if (suite === 'memory') await full();
else await run();

async function beside() {
  const servers = ['first', 'second'].map((side) => ({ url: values[side], pids: values[`${side}-pids`] }));
  if (servers.some(({ url }) => !url)) return console.log(USAGE);
  const { peer } = await import('../bench/peer.mjs');
  await peer({ servers, file: values.requests, rounds, seconds, only: values.only, say: console.log });
}

async function full() {
  await prepare();
  const { memory } = await import('../bench/memory.mjs');
  if (!(await memory({ datasets, say: console.log }))) process.exitCode = 1;
}

async function run() {
  await prepare();
  process.env.NODE_ENV ??= 'production';
  const { bench, keep } = await import('../bench/bench.mjs');
  const profile = values.profile
    ? join(root, '.cache/bench/profiles', new Date().toISOString().replace(/[:.]/g, '-'))
    : undefined;
  const done = await bench({
    suite,
    datasets,
    seconds,
    rounds,
    only: values.only,
    against: values.against,
    settings: Object.fromEntries(values.set.map((text) => [text.split('=', 1)[0], text.slice(text.indexOf('=') + 1)])),
    fresh: values.fresh,
    profile,
    say: console.log,
  });
  if (profile) return (await import('../bench/profile.mjs')).printProfile(profile);
  const isWhole =
    values.only.length === 0 &&
    values.set.length === 0 &&
    datasets === undefined &&
    (seconds ?? 1) >= 0.25 &&
    (rounds ?? 10) >= 5;
  if (!isWhole) return console.log('Not kept: only whole runs of the usual size are.');
  console.log(`Kept as ${keep(done)}`);
  await (await import('../bench/history.mjs')).history();
}
