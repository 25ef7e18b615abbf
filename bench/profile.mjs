/** Summarizes a CPU profile by package or folder, and by function, without idle time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../scripts/stamp.mjs';

/** Prints the profiles of a folder. */
export function printProfile(folder) {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const self = selfTimes(profile);
    const busy = [...self.values()].reduce((sum, time) => sum + time, 0);
    console.log(`${join(folder, file)}\nbusy ${(busy / 1e6).toFixed(1)} s`);
    for (const [title, nameOf, most] of [
      ['by place', placeOf, 25],
      ['by function', functionOf, 45],
    ]) {
      console.log(`\n${title}`);
      for (const [name, time] of grouped(profile, self, nameOf).slice(0, most)) {
        console.log(`${((100 * time) / busy).toFixed(1).padStart(6)} %  ${name}`);
      }
    }
  }
}

/** Microseconds of self time per node. */
function selfTimes({ nodes, samples, timeDeltas }) {
  const idle = new Set(
    nodes
      .filter(({ callFrame }) => ['(idle)', '(program)', '(root)'].includes(callFrame.functionName))
      .map(({ id }) => id),
  );
  const times = new Map();
  samples.forEach((id, i) => {
    if (!idle.has(id)) times.set(id, (times.get(id) ?? 0) + timeDeltas[i]);
  });
  return times;
}

function grouped({ nodes }, self, nameOf) {
  const sums = new Map();
  for (const { id, callFrame } of nodes) {
    const name = nameOf(callFrame);
    sums.set(name, (sums.get(name) ?? 0) + (self.get(id) ?? 0));
  }
  return [...sums].sort((a, b) => b[1] - a[1]).filter(([, time]) => time > 0);
}

function placeOf({ url, functionName }) {
  if (functionName === '(garbage collector)') return 'garbage collector';
  if (!url) return 'native';
  if (url.startsWith('node:')) return 'node';
  const path = url.replace(pathToFileURL(root).href, '');
  const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path);
  return found ? found[1] : path.replace('/dist/', '');
}

const functionOf = (frame) =>
  `${frame.functionName || '(anonymous)'}  ${placeOf(frame)} ${frame.url.split('/').at(-1)}:${frame.lineNumber + 1}`;
