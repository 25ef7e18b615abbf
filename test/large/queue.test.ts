/** Loads an upload immediately while thousands of links to dead hosts are queued. Prints figures. */
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Worker } from '../../src/jobs/worker.ts';
import { loadingIn } from '../helpers/loading.ts';
import type { TestUser } from '../helpers/make.ts';
import { freePort } from '../helpers/port.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LINKS = 8_000;
const LINKS_PER_DATASET = 200;
/** Loopback addresses. Each has a port that accepts and never answers, and one that refuses. */
const ADDRESSES = Array.from({ length: 20 }, (_none, n) => `127.0.1.${n + 1}`);
const MAX_SECONDS = 10;

let world: World;
let worker: Worker;
let boss: TestUser;
let mute: net.Server;
const accepted = new Set<net.Socket>();
let hosts: string[];

beforeAll(async () => {
  mute = net.createServer((socket) => void accepted.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => mute.listen(0, '0.0.0.0', resolve));
  const ports = [(mute.address() as AddressInfo).port, await freePort()];
  hosts = ports.flatMap((port) => ADDRESSES.map((address) => `${address}:${port}`));
  world = await createWorld({ 'catalog.loading.allowed_hosts': ADDRESSES, 'catalog.loading.link_delay': 0 });
  await world.datastore();
  boss = await world.make.user({ sysadmin: true });
}, 60_000);
afterAll(async () => {
  await worker?.stop();
  for (const socket of accepted) socket.destroy();
  await new Promise((resolve) => mute.close(resolve));
  await world.end();
});

const count = (where: object) => world.database.db.job.count({ where });

it('loads an upload within 10 s while 8,000 links to dead hosts are queued', async () => {
  for (let from = 0; from < LINKS; from += LINKS_PER_DATASET) {
    const resources = Array.from({ length: LINKS_PER_DATASET }, (_none, n) => ({
      url: `http://${hosts[(from + n) % hosts.length]}/${from + n}.csv`,
      format: 'CSV',
    }));
    await world.result('package_create', { name: `links-${from}`, resources }, { as: boss });
  }
  expect(await count({ kind: 'load', state: 'queued' })).toBe(LINKS);
  worker = await world.app.startWorker();
  await until(async () => accepted.size > 0); // a worker is waiting for a host that never answers
  const { id: datasetId } = await world.make.dataset();
  const tools = loadingIn(world, () => boss);
  const seconds: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    const begun = performance.now();
    const { id, job } = await tools.load(datasetId, `upload-${n}.csv`, `a,b\n${n},x\n`);
    seconds.push((performance.now() - begun) / 1_000);
    expect(job).toMatchObject({ state: 'DONE', error: null });
    expect((await tools.search(id)).records).toMatchObject([{ a: n, b: 'x' }]);
  }
  const waiting = await count({ kind: 'load', state: 'queued' });
  const paused = await world.database.db.jobHost.count();
  console.log(JSON.stringify({ seconds: seconds.map((time) => +time.toFixed(1)), waiting, paused }));
  expect(Math.max(...seconds)).toBeLessThan(MAX_SECONDS);
  expect(waiting).toBeGreaterThan(LINKS - 100);
}, 300_000);
