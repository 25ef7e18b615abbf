/** `npm run dev`: serves, and starts the server again when a source, the schema or catalog.yaml changes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './stamp.mjs';

const FOLDERS = ['src', 'facades', 'schema', 'prisma'];
/** ms without another change, so that all files of a checkout or a rename are there. */
const QUIET = 200;

let changes = 0;
let changed = () => {};
const seen = (file) => {
  if (!file || /(^|[\\/])generated[\\/]/.test(file)) return; // a start writes it
  changes += 1;
  changed();
};
for (const folder of FOLDERS) watch(join(root, folder), { recursive: true }, (_, file) => seen(file));
watch(root, (_, file) => file === 'catalog.yaml' && seen(file));

let stopping = false;
let server;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopping = true;
    server?.kill(signal);
    changed();
  });

while (!stopping) {
  const change = new Promise((resolve) => (changed = resolve));
  server = spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  const ended = once(server, 'exit');
  await change;
  for (let before = -1; before !== changes && !stopping; ) {
    before = changes;
    await sleep(QUIET);
  }
  if (!stopping) console.error('A source changed: starting again …');
  server.kill('SIGTERM');
  await ended;
}
process.exit();
