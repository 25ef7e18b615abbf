/**
 * Load generator in its own process: sends requests over persistent sockets, sequentially on each, and measures the latency of each. Uses
 * plain sockets, because an HTTP client costs as much as the server under test. Receives jobs by message `{ port, host, requests,
 * connections, seconds, expect, once }`, and answers each with one message. Opens a new connection when the server closes one.
 */
import { connect } from 'node:net';

const HEADERS_END = Buffer.from('\r\n\r\n');
/** End of a chunked response. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
/** Maximum position of the expected text in a response. */
const LOOK = 4_000;

process.on('message', async (job) => process.send(await run(job)));
process.on('disconnect', () => process.exit());

async function run({ port, host = '127.0.0.1', requests, connections, seconds, expect, once }) {
  const round = {
    port,
    host,
    once,
    expect: expect && Buffer.from(expect),
    requests: requests.map((request) => toBytes(request, `${host}:${port}`)),
    next: 0,
    until: performance.now() + seconds * 1000,
    latencies: [],
    bytes: 0,
    errors: 0,
    firstError: null,
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: connections }, () => drive(round)));
  return summary(round, (performance.now() - start) / 1000);
}

function toBytes({ method = 'GET', path, headers = {}, body = '' }, host) {
  const all = { host, ...(body && { 'content-length': Buffer.byteLength(body) }), ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}

/** Connections one after the other: each sends the next request when the response is complete. */
async function drive(round) {
  while (await connection(round));
}

/** Returns whether the server closed it after a complete response, so that another one is needed. */
function connection(round) {
  return new Promise((resolve) => {
    const socket = connect(round.port, round.host).setNoDelay(true);
    let sent = 0;
    let parts = [];
    let missing = 0; // remaining bytes of the response; 0 before its headers are read
    let isClosing = false;

    const send = () => {
      const now = performance.now();
      if (isClosing) return void socket.end();
      if (now >= round.until || (round.once && round.next >= round.requests.length)) return void socket.end();
      sent = now;
      socket.write(round.requests[round.next++ % round.requests.length]);
    };
    const done = () => {
      round.latencies.push(performance.now() - sent);
      const answer = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      round.bytes += answer.length;
      const problem = problemOf(answer, round.expect);
      if (problem) fail(round, problem);
      parts = [];
      missing = 0;
      send();
    };
    socket.on('data', (chunk) => {
      parts.push(chunk);
      if (missing === CHUNKED) return isLast(parts) && done();
      if (missing > 0) {
        missing -= chunk.length;
        if (missing <= 0) done();
        return;
      }
      const answer = parts.length === 1 ? chunk : Buffer.concat(parts);
      const headersEnd = answer.indexOf(HEADERS_END);
      if (headersEnd < 0) return;
      const length = lengthOf(answer, headersEnd);
      isClosing = /\r\nconnection: *close/i.test(answer.latin1Slice(0, headersEnd));
      if (length === null)
        return void socket.destroy(new Error(`no content-length: ${answer.latin1Slice(0, headersEnd)}`));
      missing = length === CHUNKED ? CHUNKED : headersEnd + 4 + length - answer.length;
      if (missing === CHUNKED ? isLast(parts) : missing <= 0) done();
    });
    socket.on('connect', send);
    socket.on('error', (error) => fail(round, error.message));
    socket.on('close', () => resolve(isClosing));
  });
}

/** Length of a response in chunks. */
const CHUNKED = -1;

function lengthOf(answer, headersEnd) {
  const headers = answer.latin1Slice(0, headersEnd);
  const found = /\r\ncontent-length: *(\d+)/i.exec(headers);
  if (!found && /\r\ntransfer-encoding: *chunked/i.test(headers)) return CHUNKED;
  return found && Number(found[1]);
}

/** Whether the parts end with the last chunk. */
const isLast = (parts) =>
  Buffer.concat(parts.slice(-LAST_CHUNK.length)).subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);

function problemOf(answer, expect) {
  const ok = answer.latin1Slice(9, 12) === '200' && (!expect || answer.subarray(0, LOOK).includes(expect));
  return ok ? null : answer.subarray(0, 1_000).toString();
}

function fail(round, problem) {
  round.errors += 1;
  round.firstError ??= problem;
}

function summary({ latencies, bytes, errors, firstError, next }, seconds) {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
  const count = sorted.length;
  return {
    count,
    used: next,
    seconds,
    errors,
    firstError,
    bytes: count ? bytes / count : 0,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
  };
}
