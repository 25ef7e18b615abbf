/** Interleaves measurements in rounds, so that other load on the machine affects all of them equally. */
import { cpuOf, cpuOfFamily, cpuOfMachine } from './cpu.mjs';

/**
 * A measurement is `{ name, server, connections, expect, requests(part), group?, once?, after? }`: `requests` returns the requests to send;
 * `once` means that no request may be repeated; `server` is a name, or several that take turns by round; `after` is not measured. In each
 * round, measurements of one `group` take turns `slices` times, each `seconds` long, in both orders. Then each of them must have a process
 * of its own, whose CPU counts until `settle` ends: also that of work which a request causes later. A measurement without a group is one of
 * its own, and does not settle. Returns the figures of each round by name.
 * @throws Error when first responses are not as expected, because a run without all of its rows would be misleading
 */
export async function measureAll({ measurements, rounds, say, warmUp: length = 1, ...options }) {
  for (const measurement of measurements) {
    for (const server of [measurement.server].flat()) {
      const problem = await warmUp({ ...measurement, server }, { ...options, length });
      if (problem) throw new Error(`${measurement.name} is not answered as expected: ${problem.slice(0, 2_000)}`);
    }
  }
  const found = new Map(measurements.map(({ name }) => [name, []]));
  const groups = [...new Set(measurements.map(groupOf))].map((group) =>
    measurements.filter((it) => groupOf(it) === group),
  );
  for (let round = 1; round <= rounds; round += 1) {
    for (const group of groups) {
      const figures = await measureGroup(group, round, options);
      for (const [at, { name }] of group.entries()) found.get(name).push(figures[at]);
    }
    say(`round ${round} of ${rounds} is done`);
  }
  return found;
}

const groupOf = ({ name, group }) => group ?? name;

/** Runs for a short time (`length`, in s), which compiles the code paths. Returns the problem of the first unexpected response. */
async function warmUp({ requests, server, connections, expect, once, after }, { servers, generator, length }) {
  const { port } = servers[server];
  const job = { port, requests: await requests(0), connections, seconds: length, expect, once };
  const { errors, firstError } = await generator.run(job);
  await after?.();
  return errors > 0 ? firstError : null;
}

/** The name whose turn it is. */
function turnOf(server, round) {
  const names = [server].flat();
  return names[(round - 1) % names.length];
}

/** One round of a group. Returns the figures of each measurement. */
async function measureGroup(group, round, { servers, slices = 1, settle, ...options }) {
  const members = group.map((measurement) => ({
    ...measurement,
    target: servers[turnOf(measurement.server, round)],
    parts: [],
  }));
  const before = members.map(({ target }) => cpuOf(target.pid));
  for (let slice = 0; slice < slices; slice += 1) {
    const part = (round - 1) * slices + slice + 1;
    for (const member of slice % 2 === 0 ? members : members.toReversed()) {
      member.parts.push(await measureSlice(member, part, options));
      await member.after?.();
    }
  }
  if (members.length === 1) return members.map(({ parts }) => figuresOf(parts));
  await settle?.();
  return members.map(({ target, parts }, at) =>
    figuresOf(parts, before[at] === null ? null : cpuOf(target.pid) - before[at]),
  );
}

async function measureSlice(member, part, { generator, postmaster, seconds }) {
  const { requests, target, connections, expect, once } = member;
  const { port, pid, database = postmaster } = target;
  const job = { port, requests: await requests(part), connections, seconds, expect, once };
  const read = () => ({
    node: cpuOf(pid),
    pg: cpuOfFamily(database),
    load: cpuOf(generator.pid),
    all: cpuOfMachine(),
  });
  const before = read();
  const done = await generator.run(job);
  const after = read();
  const used = (what) => (after[what] === null ? null : after[what] - before[what]);
  const [node, pg] = [used('node'), used('pg')];
  const foreign = node === null ? null : Math.max(0, used('all') - node - pg - used('load'));
  return { ...done, node, pg, foreign };
}

/** Figures of the slices of a round. `whole` is Node's CPU in all of the round. */
function figuresOf(parts, whole) {
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  const middle = (key) => median(parts.map((part) => part[key]));
  const [requests, seconds, pg] = [sum('count'), sum('seconds'), sum('pg')];
  const node = whole ?? sum('node');
  const isKnown = parts[0].node !== null;
  return {
    requests,
    errors: sum('errors'),
    firstError: parts.find(({ firstError }) => firstError)?.firstError ?? null,
    bytes: Math.round(middle('bytes')),
    perSecond: requests / seconds,
    p50: middle('p50'),
    p90: middle('p90'),
    p99: middle('p99'),
    nodeMs: isKnown ? node / requests : null,
    pgMs: isKnown ? pg / requests : null,
    perCpuSecond: isKnown ? (requests * 1000) / (node + pg) : null,
    /** Processors that other programs used during the measurement. */
    foreign: isKnown ? sum('foreign') / (seconds * 1000) : null,
  };
}

/** A goal: at least this share of the floor's requests per CPU second, and at most so many ms of CPU. */
export const ofFloor = (least, most = null) => ({
  text: `≥ ${least.toFixed(2)} of the floor${most === null ? '' : `, ≤ ${most} ms of CPU`}`,
  met: ({ ratio, nodeMs, pgMs }) =>
    ratio !== null && ratio >= least && (most === null || (nodeMs !== null && nodeMs + pgMs <= most)),
});

const KEYS = ['bytes', 'perSecond', 'p50', 'p90', 'p99', 'nodeMs', 'pgMs', 'perCpuSecond', 'foreign'];

/**
 * Medians of the rounds. `ratio` compares the requests per CPU second with those of the measurement `to`: the geometric mean of the rounds'
 * ratios, because both of a round suffer alike from a slower minute. `error` is its standard error, relative to it. `each` lists the requests
 * per CPU second of every round.
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
    const each = rounds.map(({ perCpuSecond }) => perCpuSecond);
    const compared = base && own.perCpuSecond !== null ? ratioOf(each, found.get(to)) : { ratio: null };
    const row = { name, requests: sum('requests'), errors: sum('errors'), ...own, ...compared, each };
    return [{ ...row, goal: goal ? { text: goal.text, met: goal.met(row, base) } : null }];
  });
}

function ratioOf(each, base) {
  const logarithms = each.map((value, at) => Math.log(value / base[at].perCpuSecond));
  const mean = logarithms.reduce((total, value) => total + value, 0) / logarithms.length;
  const squares = logarithms.reduce((total, value) => total + (value - mean) ** 2, 0);
  const [ratio, pairs] = [Math.exp(mean), logarithms.length];
  return pairs < 2 ? { ratio } : { ratio, error: Math.sqrt(squares / (pairs - 1) / pairs) };
}

function median(values) {
  if (values.some((value) => value === null)) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
