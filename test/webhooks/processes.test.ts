/** Server processes that share webhooks: no message is lost or reordered when one of them is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createReceiver, type Receiver } from '../helpers/receiver.ts';
import { startServer, type TestServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** More webhooks than one process serves at a time, so that both processes get some. */
const HOOKS = 6;
const ROUNDS = 3;
const PER_ROUND = 10;

let world: World;
let receiver: Receiver;
let folder: string;
/** They share the administrator and the secret of the first server, which differ from those of the test world. */
const servers: TestServer[] = [];
const hooks: { databaseId: string; secret: string }[] = [];

beforeAll(async () => {
  receiver = await createReceiver();
  world = await createWorld({ 'catalog.webhooks.allowed_hosts': [receiver.host] });
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  await start();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop('SIGKILL')));
  await world.end();
  await receiver.end();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const env = {
    CATALOG__DATABASE_URL: world.database.url,
    CATALOG__DATA_DIR: join(folder, 'data'),
    CATALOG__LOG_LEVEL: 'debug',
    CATALOG__LOG_SQL: 'true',
    CATALOG__WEBHOOKS__ALLOWED_HOSTS: receiver.host,
    CATALOG__WEBHOOKS__SENDERS: '2',
    CATALOG__WEBHOOKS__TIMEOUT: '2',
    CATALOG__WEBHOOKS__PAUSE: '0',
    CATALOG__WEBHOOKS__ATTEMPTS: '50',
  };
  servers.push(await startServer(env, servers[0]));
}

const rows = async (sql: string): Promise<any[]> => (await world.database.pool.query(sql)).rows;
const holders = async (): Promise<number[]> =>
  (await rows("SELECT DISTINCT split_part(holder, ' ', 2)::int AS pid FROM webhook WHERE held_until > now()")).map(
    ({ pid }) => pid,
  );
/** State for the error message of a timeout. */
const seen = async () => ({
  servers: servers.map(({ process: { pid, exitCode, signalCode } }) => ({ pid, exitCode, signalCode })),
  webhooks:
    await rows(`SELECT name, state, reason, cursor, message_end, attempts, due_at, holder, held_until, last_status, last_error
    FROM webhook ORDER BY number`),
  log: await rows('SELECT max(position) AS last, count(*) FILTER (WHERE position IS NULL) AS unplaced FROM change'),
  received: receiver.received.length,
  taken: receiver.taken().length,
});

it('loses no message and keeps the order when a process is killed', async () => {
  for (let n = 0; n < HOOKS; n++) {
    const { createWebhook } = await servers[0]!.graph(`mutation { createWebhook(input: {
      url: ${JSON.stringify(receiver.url)}, types: [DATASET], batchSize: 1, name: "hook-${n}" })
      { webhook { databaseId secret } errors { message } } }`);
    hooks.push(createWebhook.webhook);
  }
  const names: string[] = [];
  const write = async () => {
    for (let n = 0; n < PER_ROUND; n++) {
      names.push(`set-${names.length}`);
      await world.make.dataset({ name: names.at(-1)! });
    }
  };
  let count = 0;
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  receiver.answer = async () => {
    await opened; // until then each process has a message in progress
    await sleep(20);
    return { status: ++count % 7 === 0 ? 503 : 200 };
  };
  await start();
  const pids = servers.map((server) => server.process.pid!);
  await write();
  await until(async () => (await holders()).length === 2, seen, 120);
  expect((await holders()).every((pid) => pids.includes(pid))).toBe(true);
  servers[0]!.process.kill('SIGKILL');
  open();
  for (let round = 0; round < ROUNDS; round++) await write();
  await start();
  await write();
  const behind = `SELECT count(*)::int AS n FROM webhook w WHERE cursor < (SELECT max(position) FROM change)
    OR EXISTS (SELECT FROM change WHERE position IS NULL)`;
  await until(async () => (await rows(behind))[0].n === 0, seen, 240);

  for (const { databaseId } of hooks) {
    const taken = receiver.taken().filter(({ body }) => body.data.webhook === databaseId);
    const first = new Map(taken.map((message) => [message.id, message]));
    expect([...first.values()].map(({ body }) => body.data.changes[0].name)).toEqual(names);
    for (const { id, text } of taken) expect(text).toBe(first.get(id)!.text);
    const places = taken.map(({ body }) => body.data.changes[0].sequence);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }
  expect(await rows('SELECT id FROM webhook_dead_letter')).toEqual([]);
}, 480_000);

it('writes no secret and no URL to its log', async () => {
  const said = servers.map((server) => server.said()).join('\n');
  expect(said).toMatch(/webhook_hold|UPDATE webhook/); // statements are logged
  const sealed = (await rows('SELECT secret FROM webhook')).map(({ secret }) => secret);
  const secrets = hooks.map(({ secret }) => secret.replace('whsec_', ''));
  expect(secrets).toHaveLength(HOOKS);
  for (const word of [...sealed, ...secrets, 'whsec_', 'in-the-address']) expect(said).not.toContain(word);
});
