/** Runs a soak: requests at a fixed rate, and one row of figures per minute. */
import { setTimeout as sleep } from 'node:timers/promises';

const STREAMS = 4;
/** Requests in progress at once. More are not sent, and count as lost. */
const MAX_RUNNING = 200;

/** The rows of all minutes. `report` is called with each. */
export async function measure({ server, requests, minutes, rate, report }) {
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => requests.streams()));
  const rows = [];
  const examples = new Set();
  let before = await server.sample();
  const start = performance.now();
  for (let minute = 1; minute <= minutes; minute += 1) {
    const round = { sent: 0, running: 0, lost: 0, statuses: {}, latencies: [], byKind: {}, examples };
    await spend({ requests, rate, round, until: start + minute * 60_000 });
    const now = await server.sample();
    const row = rowOf(minute, round, now, before);
    before = now;
    rows.push(row);
    report(row);
  }
  const closed = streams.filter(({ isOpen }) => !isOpen).length;
  const silent = streams.filter(({ bytes }) => bytes === 0).length;
  for (const stream of streams) stream.close();
  return { rows, examples: [...examples], streams: { open: STREAMS - closed, closed, silent } };
}

/** Sends requests at their times, whether earlier ones were answered or not, and waits for the last. */
async function spend({ requests, rate, round, until }) {
  const from = performance.now();
  const running = new Set();
  for (let n = 0; ; n += 1) {
    const due = from + (n * 1000) / rate;
    if (due >= until) break;
    const wait = due - performance.now();
    if (wait > 0) await sleep(wait);
    if (running.size >= MAX_RUNNING) {
      round.lost += 1;
      continue;
    }
    const one = send(requests, round).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
}

async function send(requests, round) {
  const kind = requests.next();
  const from = performance.now();
  round.sent += 1;
  try {
    const { status, text } = await requests.send(kind);
    const ms = performance.now() - from;
    round.latencies.push(ms);
    (round.byKind[kind] ??= []).push(ms);
    round.statuses[status] = (round.statuses[status] ?? 0) + 1;
    if (status >= 400 && round.examples.size < 5) round.examples.add(`${kind} ${status} ${text.slice(0, 300)}`);
  } catch (thrown) {
    round.lost += 1;
    if (round.examples.size < 5) round.examples.add(`${kind} ${thrown.cause?.message ?? thrown.message}`);
  }
}

function rowOf(minute, { sent, lost, statuses, latencies, byKind }, now, before) {
  const at = percentiles(latencies);
  const of = (low, high) =>
    Object.entries(statuses).reduce((sum, [status, count]) => sum + (status >= low && status < high ? count : 0), 0);
  return {
    minute,
    sent,
    lost,
    statuses,
    failed: of(500, 1000),
    refused: of(400, 500),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    byKind: Object.fromEntries(Object.entries(byKind).map(([kind, list]) => [kind, percentiles(list)(0.5)])),
    live: now.live,
    resident: now.resident,
    cpu: (now.cpu - before.cpu) / Math.max(1, sent),
  };
}

function percentiles(values) {
  const sorted = Float64Array.from(values).sort();
  return (share) => Number((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2));
}
