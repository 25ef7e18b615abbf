/** CPU time of processes, from Linux's /proc. Not available on other systems. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second that /proc counts in; 100 on every Linux that Node runs on. */
const TICKS = 100;

export const cpuIsKnown = process.platform === 'linux';

/** CPU time (user and system) of a process and its threads in ms; null when unknown. */
export const cpuOf = (pid) => (cpuIsKnown ? (statOf(pid)?.own ?? null) : null);

/** The same for a process and all its children, including ended ones: PostgreSQL with its connections. */
export function cpuOfFamily(pid) {
  if (!cpuIsKnown) return null;
  const parent = statOf(pid);
  if (!parent) return null;
  let total = preciseOf(pid, parent) + parent.ended;
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) && statOf(Number(entry));
    if (stat && stat.parent === pid) total += preciseOf(entry, stat);
  }
  return total;
}

/** The same for several processes with all their descendants. */
export function cpuOfTrees(pids) {
  if (!cpuIsKnown) return null;
  const all = new Map();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) && statOf(Number(entry));
    if (stat) all.set(Number(entry), stat);
  }
  const counted = new Set(pids);
  for (let before = -1; before !== counted.size; ) {
    before = counted.size;
    for (const [pid, { parent }] of all) if (counted.has(parent)) counted.add(pid);
  }
  let total = 0;
  for (const pid of counted) {
    const stat = all.get(pid);
    if (stat) total += (hasOneThread(pid) ? preciseOf(pid, stat) : stat.own) + stat.ended;
  }
  return total;
}

function hasOneThread(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).length === 1;
  } catch {
    return false; // ended
  }
}

/** CPU time of a process with one thread in ms, finer than ticks where Linux offers it: each of many processes would lose up to a tick. */
function preciseOf(pid, { own }) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6 || own;
  } catch {
    return own;
  }
}

/** CPU time of all processes since boot in ms; null when unknown. */
export function cpuOfMachine() {
  if (!cpuIsKnown) return null;
  const [user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n')[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return toMs(user + nice + system + irq + softirq);
}

function statOf(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // ended
  }
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number); // fields[0] is the third of proc(5)
  return { parent: fields[1], own: toMs(fields[11] + fields[12]), ended: toMs(fields[13] + fields[14]) };
}

const toMs = (ticks) => (ticks * 1000) / TICKS;
