/**
 * Measures two running servers beside each other: the same requests to both in turns, CPU of all their processes per request. Knows the
 * servers by URL only, so that any two that answer the requests can be compared.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/stamp.mjs';
import { cpuIsKnown, cpuOfTrees } from './cpu.mjs';
import { startLoad } from './servers.mjs';
import { number } from './table.mjs';

/** Requests of issue 20. */
export const DEFAULT_REQUESTS = join(root, 'bench/peer.requests.json');
/** Maximum requests that one line of the file becomes. */
const MAX_EXPANDED = 200;

/**
 * `servers`: two of `{ url, pids }`. `pids` is null, or a list separated by commas of ids, files with an id, and `/patterns/` of command
 * lines. Prints a table and returns its rows.
 */
export async function peer({
  servers,
  file = DEFAULT_REQUESTS,
  rounds = 10,
  seconds = 0.6,
  connections = 1,
  only,
  say,
}) {
  const sides = servers.map(({ url, pids }) => ({ url: new URL(url), pids: pids ? pidsOf(pids) : null }));
  for (const { url } of sides) if (url.protocol !== 'http:') throw new Error(`only http is supported: ${url.href}`);
  const measuresCpu = cpuIsKnown && sides.every(({ pids }) => pids);
  const measurements = await openRequests(JSON.parse(readFileSync(file, 'utf8')), sides, { only, say });
  const generator = startLoad();
  try {
    const found = new Map(measurements.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round += 1)
      for (const { name, requests } of measurements) {
        const pair = [];
        for (const index of round % 2 ? [1, 0] : [0, 1])
          pair[index] = await once(sides[index], requests[index], { generator, connections, seconds, measuresCpu });
        if (round > 0) found.get(name).push(pair); // round 0 warms up
      }
    const rows = measurements.map(({ name }) => summaryOf(name, found.get(name)));
    say(`\n${tableOf(rows, measuresCpu)}\n`);
    return rows;
  } finally {
    generator.stop();
  }
}

async function once({ url, pids }, requests, { generator, connections, seconds, measuresCpu }) {
  const before = measuresCpu ? cpuOfTrees(pids) : null;
  const job = { host: url.hostname, port: Number(url.port || 80), requests, connections, seconds };
  const done = await generator.run(job);
  if (done.count === 0) throw new Error(`${url.href}: no response: ${done.firstError}`);
  const cost = measuresCpu
    ? (cpuOfTrees(pids) - before) / done.count
    : (done.seconds * 1000 * connections) / done.count;
  return { cost, bytes: done.bytes, errors: done.errors };
}

/** Ratio: the first server's cost divided by the second's, of each round. */
function summaryOf(name, pairs) {
  const ratios = pairs.map(([first, second]) => first.cost / second.cost);
  const sides = [0, 1].map((index) => ({
    cost: quantile(
      pairs.map((pair) => pair[index].cost),
      0.5,
    ),
    bytes: quantile(
      pairs.map((pair) => pair[index].bytes),
      0.5,
    ),
    errors: pairs.reduce((sum, pair) => sum + pair[index].errors, 0),
  }));
  return { name, sides, ratio: quantile(ratios, 0.5), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
}

function tableOf(rows, measuresCpu) {
  const what = measuresCpu ? 'CPU ms' : 'wall ms';
  const line = ({ name, sides: [first, second], ratio, low, high }) =>
    [
      name,
      number(first.cost),
      number(second.cost),
      number(ratio),
      `${number(low)} – ${number(high)}`,
      ...[first.bytes / 1000, second.bytes / 1000].map(number),
      first.errors + second.errors,
    ].join(' | ');
  return [
    `| request | first: ${what} | second: ${what} | ratio | half of the rounds | first: kB | second: kB | errors |`,
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows.map((row) => `| ${line(row)} |`),
  ].join('\n');
}

/** The measurements of a file, with the requests of each server. Omits optional ones that a server does not answer. */
async function openRequests({ lists = {}, fetched = {}, requests }, sides, { only = [], say }) {
  const values = await valuesOf(lists, fetched, sides);
  const measurements = [];
  for (const one of requests) {
    if (only.length > 0 && !only.some((word) => one.name.startsWith(word))) continue;
    const expanded = values.map((own) => expand(one, own));
    const problem = (await Promise.all(sides.map((side, index) => problemOf(side, expanded[index])))).find(Boolean);
    if (!problem) measurements.push({ name: one.name, requests: expanded });
    else if (one.optional) say(`${one.name} is left out: ${problem}`);
    else throw new Error(`${one.name}: ${problem}`);
  }
  return measurements;
}

/** Values of placeholders for each server. Both get the items of a fetched list that both have. */
async function valuesOf(lists, fetched, sides) {
  const values = sides.map(() => ({ ...lists }));
  for (const [name, { path, at = [] }] of Object.entries(fetched)) {
    const found = await Promise.all(
      sides.map(async ({ url }) => {
        const response = await fetch(new URL(path, url));
        const body = await response.json().catch(() => null);
        return at.reduce((value, key) => value?.[key], body?.result);
      }),
    );
    const common = found.every(Array.isArray) ? found[0].filter((item) => found[1].includes(item)) : null;
    values.forEach((own, index) => {
      const single = found[index] === undefined || found[index] === null ? [] : [found[index]];
      own[name] = common ?? single;
    });
  }
  return values;
}

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/** One request, or one for each value of its placeholders. Empty if a placeholder has no value. */
function expand({ method = 'GET', path, headers = {}, body }, values) {
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : JSON.stringify(body);
  const names = [...new Set([...`${path}${text}`.matchAll(PLACEHOLDER)].map(([, name]) => name))];
  if (names.some((name) => !values[name]?.length)) return [];
  const count = Math.min(MAX_EXPANDED, names.length ? Math.max(...names.map((name) => values[name].length)) : 1);
  return Array.from({ length: count }, (_, i) => {
    const filled = (template, encode) =>
      template.replace(PLACEHOLDER, (_whole, name) => encode(String(values[name][i % values[name].length])));
    const type = text && !headers['content-type'] ? { 'content-type': 'application/json' } : {};
    return {
      method,
      path: filled(path, encodeURIComponent),
      headers: { ...type, ...headers },
      body: filled(text, String),
    };
  });
}

/** Why the first request cannot be measured, else null. */
async function problemOf({ url }, [first]) {
  if (!first) return `${url.href} has no value for a placeholder`;
  const { method, path, headers, body } = first;
  const response = await fetch(new URL(path, url), { method, headers, ...(body && { body }) });
  const text = await response.text();
  return response.status === 200 && !text.includes('"success":false') && !text.includes('"success": false')
    ? null
    : `${method} ${new URL(path, url).href}: status ${response.status}: ${text.slice(0, 300)}`;
}

/** Process ids of a list of ids, files and patterns. @throws Error for one that names no process */
export function pidsOf(text) {
  return text.split(',').flatMap((part) => {
    const one = part.trim();
    const pids =
      one.startsWith('/') && one.endsWith('/') && one.length > 2 ? matching(new RegExp(one.slice(1, -1))) : [idOf(one)];
    if (pids.length === 0 || pids.some((pid) => !(pid > 0))) throw new Error(`no process: ${one}`);
    return pids;
  });
}

const idOf = (text) => (/^\d+$/.test(text) ? Number(text) : Number.parseInt(readFileSync(text, 'utf8'), 10));

/** Processes whose command line matches, except this one. */
const matching = (pattern) =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid && Number(entry) !== process.ppid)
    .filter((entry) => pattern.test(commandOf(entry)))
    .map(Number);

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return ''; // ended
  }
}
