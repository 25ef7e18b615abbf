/** Interleaves measurements in rounds, so that other load on the machine affects all of them equally. */
import { cpuOf, cpuOfFamily, cpuOfMachine } from './cpu.mjs';

/**
 * A measurement is `{ name, server, connections, expect, requests(round), seconds?, once?, settle?, after? }`: `requests` returns the
 * requests to send; `once` means that no request may be repeated; `server` is a name, or several that take turns. CPU is measured until
 * `settle` is done; `after` is not measured. `alternating` reverses the order in every second round. Returns the figures of each round by
 * name.
 * @throws Error when first responses are not as expected, because a run without all of its rows would be misleading
 */
export async function measureAll({
  measurements,
  rounds,
  seconds,
  servers,
  generator,
  postmaster,
  say,
  warmUp: length = 1,
  alternating = false,
}) {
  for (const measurement of measurements) {
    for (const server of [measurement.server].flat()) {
      const problem = await warmUp({ ...measurement, server }, { servers, generator, length });
      if (problem) throw new Error(`${measurement.name} is not answered as expected: ${problem.slice(0, 2_000)}`);
    }
  }
  const found = new Map(measurements.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const measurement of alternating && round % 2 === 0 ? measurements.toReversed() : measurements) {
      const figures = await measureOnce(measurement, round, { servers, generator, postmaster, seconds });
      found.get(measurement.name).push(figures);
      await measurement.after?.();
    }
    say(`round ${round} of ${rounds} is done`);
  }
  return found;
}

/** Runs for a short time (`length`, in s), which compiles the code paths. Returns the problem of the first unexpected response. */
async function warmUp({ requests, server, connections, expect, once, after }, { servers, generator, length }) {
  const { port } = servers[server];
  const job = { port, requests: await requests(0), connections, seconds: length, expect, once };
  const { errors, firstError } = await generator.run(job);
  await after?.();
  return errors > 0 ? firstError : null;
}

/** The name whose turn it is, for two rounds: one in each order. */
function turnOf(server, round) {
  const names = [server].flat();
  return names[((round - 1) >> 1) % names.length];
}

async function measureOnce(measurement, round, { servers, generator, postmaster, seconds }) {
  const { requests, server, connections, expect, once } = measurement;
  const { port, pid, database = postmaster } = servers[turnOf(server, round)];
  const job = {
    port,
    requests: await requests(round),
    connections,
    seconds: measurement.seconds ?? seconds,
    expect,
    once,
  };
  const read = () => ({
    node: cpuOf(pid),
    pg: cpuOfFamily(database),
    load: cpuOf(generator.pid),
    all: cpuOfMachine(),
  });
  const before = read();
  const done = await generator.run(job);
  await measurement.settle?.();
  const after = read();
  const used = (what) => (after[what] === null ? null : after[what] - before[what]);
  const [node, pg] = [used('node'), used('pg')];
  return {
    requests: done.count,
    errors: done.errors,
    firstError: done.firstError,
    bytes: Math.round(done.bytes),
    perSecond: done.count / done.seconds,
    p50: done.p50,
    p90: done.p90,
    p99: done.p99,
    nodeMs: node === null ? null : node / done.count,
    pgMs: pg === null ? null : pg / done.count,
    perCpuSecond: node === null ? null : (done.count * 1000) / (node + pg),
    /** Processors that other programs used during the measurement. */
    foreign: node === null ? null : Math.max(0, used('all') - node - pg - used('load')) / (done.seconds * 1000),
  };
}

const KEYS = ['bytes', 'perSecond', 'p50', 'p90', 'p99', 'nodeMs', 'pgMs', 'perCpuSecond', 'foreign'];

/**
 * Medians of the rounds; `ratio` compares the requests per CPU second with those of the measurement `to`, and `each` lists the requests per
 * CPU second of every round.
 */
export function summarize(found, measurements) {
  const medians = new Map(
    [...found].map(([name, rounds]) => [
      name,
      Object.fromEntries(KEYS.map((key) => [key, median(rounds.map((round) => round[key]))])),
    ]),
  );
  return measurements.flatMap(({ name, to, goal }) => {
    const rounds = found.get(name);
    if (!rounds) return [];
    const sum = (key) => rounds.reduce((total, round) => total + round[key], 0);
    const own = medians.get(name);
    const base = medians.get(to);
    const ratio = base && own.perCpuSecond !== null ? own.perCpuSecond / base.perCpuSecond : null;
    const each = rounds.map(({ perCpuSecond }) => perCpuSecond);
    const row = { name, requests: sum('requests'), errors: sum('errors'), ...own, ratio, each };
    return [{ ...row, goal: goal ? { text: goal.text, met: goal.met(row, base) } : null }];
  });
}

function median(values) {
  if (values.some((value) => value === null)) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
