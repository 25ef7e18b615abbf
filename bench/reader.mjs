/**
 * Reads a whole table in its own process and discards it: `{ url, slow }` from a server, or `{ table, database, psql }` directly from
 * PostgreSQL, like psql's \\copy to /dev/null. A slow reader consumes 4 MB per second, for at most ten seconds. Receives one job by
 * message, answers `{ seconds, bytes }`.
 */
import { execFile } from 'node:child_process';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

const PACE = 4_000_000;
const MAX_WAIT = 10_000;

process.on('message', async (job) => {
  const start = performance.now();
  try {
    const bytes = await (job.url ? download(job, start) : copy(job));
    process.send({ seconds: (performance.now() - start) / 1000, bytes }, () => process.exit());
  } catch (failure) {
    process.send({ failure: String(failure) }, () => process.exit());
  }
});

async function download({ url, slow }, start) {
  const answer = await new Promise((resolve, reject) => http.get(url, resolve).on('error', reject));
  if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}`);
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (!slow) continue;
    const gone = performance.now() - start;
    if (gone > MAX_WAIT) break;
    await sleep(Math.max(0, (bytes / PACE) * 1000 - gone));
  }
  return bytes;
}

async function copy({ table, database, psql }) {
  if (psql) {
    await promisify(execFile)('psql', [database, '--quiet', '-c', `\\copy ${table} to /dev/null (format csv, header)`]);
    return null;
  }
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  let bytes = 0;
  for await (const chunk of client.query(copyTo(`COPY ${table} TO STDOUT (FORMAT csv, HEADER)`))) bytes += chunk.length;
  await client.end();
  return bytes;
}
