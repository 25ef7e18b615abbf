/** Two server processes on one database share the webhooks; one is killed, and another is started: nothing is lost, and order is kept. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { createReceiver, type Receiver, until } from '../helpers/receiver.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** More than one process serves at a time, so that both have some. */
const HOOKS = 6;
const ROUNDS = 3;
const PER_ROUND = 10;

let world: World;
let receiver: Receiver;
/** Of the administrator whom the first server makes, with the secret of the servers: ours is another. */
let key: string;
let folder: string;
const servers: Server[] = [];
const hooks: { databaseId: string; secret: string }[] = [];
interface Server {
  readonly base: string;
  readonly child: ChildProcess;
  /** All that it said. */
  readonly said: () => string;
}

beforeAll(async () => {
  receiver = await createReceiver();
  world = await createWorld({ 'catalog.webhooks.allowed_hosts': [receiver.host] });
  folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
  const first = await start();
  key = /API key +(\S+)/.exec(await until(() => /API key +\S+/.exec(first.said())?.[0]))![1]!;
}, 120_000);
afterAll(async () => {
  await Promise.all(
    servers.map(async ({ child }) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'close');
    }),
  );
  await world.end();
  await receiver.end();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<Server> {
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'serve'], {
    cwd: projectRoot,
    env: {
      ...process.env,
      CATALOG__DATABASE_URL: world.database.url,
      CATALOG__DATA_DIR: join(folder, 'data'),
      CATALOG__HOST: '127.0.0.1',
      CATALOG__PORT: '0',
      CATALOG__LOG_LEVEL: 'debug',
      CATALOG__LOG_SQL: 'true',
      CATALOG__WEBHOOKS__ALLOWED_HOSTS: receiver.host,
      CATALOG__WEBHOOKS__SENDERS: '2',
      CATALOG__WEBHOOKS__TIMEOUT: '2',
      CATALOG__WEBHOOKS__PAUSE: '0',
      CATALOG__WEBHOOKS__ATTEMPTS: '50',
    },
  });
  let said = '';
  const lines = createInterface({ input: child.stdout! });
  child.stderr!.on('data', (text) => (said += text));
  const base = await new Promise<string>((resolve, reject) => {
    lines.on('line', (line) => {
      said += `${line}\n`;
      const port = /http:\/\/localhost:(\d+)/.exec(line)?.[1];
      if (port) resolve(`http://127.0.0.1:${port}`);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said.slice(-2_000)}`)));
  });
  const server = { base, child, said: () => said };
  servers.push(server);
  return server;
}

const rows = async (sql: string): Promise<any[]> => (await world.database.pool.query(sql)).rows;
const holders = async (): Promise<Set<number>> =>
  new Set(
    (await rows("SELECT split_part(holder, ' ', 2)::int AS pid FROM webhook WHERE held_until > now()")).map(
      ({ pid }) => pid,
    ),
  );

it('loses nothing and keeps the order when a process is killed in the middle', async () => {
  const query = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { databaseId secret } errors { message } } }`;
  for (let n = 0; n < HOOKS; n++) {
    const input = { url: receiver.url, types: ['DATASET'], batchSize: 1, name: `hook-${n}` };
    const answered = await fetch(`${servers[0]!.base}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: key },
      body: JSON.stringify({ query, variables: { input } }),
    });
    const { data } = (await answered.json()) as any;
    hooks.push(data.createWebhook.webhook);
  }
  const names: string[] = [];
  const write = async () => {
    for (let n = 0; n < PER_ROUND; n++) {
      names.push(`set-${names.length}`);
      await world.make.dataset({ name: names.at(-1)! });
    }
  };
  let count = 0;
  receiver.answer = async () => {
    await sleep(20); // time to be killed in
    return { status: ++count % 7 === 0 ? 503 : 200 };
  };
  await start();
  await write();
  const pids = servers.map(({ child }) => child.pid!);
  await until(async () => {
    if ((await holders()).size === 2) return true;
    await write();
    return false;
  });
  expect([...(await holders())].every((pid) => pids.includes(pid))).toBe(true);
  servers[0]!.child.kill('SIGKILL');
  for (let round = 0; round < ROUNDS; round++) await write();
  await start();
  await write();
  const all = `SELECT count(*)::int AS n FROM webhook w WHERE cursor < (SELECT max(position) FROM change)`;
  await until(async () => (await rows(all))[0].n === 0);

  for (const { databaseId } of hooks) {
    const taken = receiver.taken().filter(({ body }) => body.data.webhook === databaseId);
    const first = new Map(taken.map((message) => [message.id, message]));
    expect([...first.values()].map(({ body }) => body.data.changes[0].name)).toEqual(names);
    for (const { id, text } of taken) expect(text).toBe(first.get(id)!.text);
    const places = taken.map(({ body }) => body.data.changes[0].sequence);
    expect(places).toEqual([...places].sort((a, b) => a - b));
  }
  expect(await rows('SELECT id FROM webhook_dead_letter')).toEqual([]);
}, 180_000);

it('says no secret and no address in its log', async () => {
  const said = servers.map((server) => server.said()).join('\n');
  expect(said).toMatch(/webhook_hold|UPDATE webhook/); // statements are told
  const sealed = (await rows('SELECT secret FROM webhook')).map(({ secret }) => secret);
  const secrets = hooks.map(({ secret }) => secret.replace('whsec_', ''));
  expect(secrets).toHaveLength(HOOKS);
  for (const word of [...sealed, ...secrets, 'whsec_', 'in-the-address']) expect(said).not.toContain(word);
});
