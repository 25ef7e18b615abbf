/** Worker processes of one machine publish metrics on consecutive ports. Their sum covers all requests. */
import { expect, it } from '@jest/globals';
import { createDatabase } from '../helpers/database.ts';
import { summed, valuesOf } from '../helpers/metrics.ts';
import { freePort } from '../helpers/port.ts';
import { startServer } from '../helpers/server.ts';
import { until } from '../helpers/until.ts';

it('assigns consecutive ports, whose metrics add up', async () => {
  const database = await createDatabase();
  const port = await freePort();
  const server = await startServer(
    { CATALOG__DATABASE_URL: database.url, CATALOG__MONITORING__PORT: String(port) },
    { args: ['--workers', '2'] },
  );
  try {
    const ports = [port, port + 1];
    const ask = (at: number, path: string) => fetch(`http://127.0.0.1:${at}${path}`);
    const isLive = async (at: number) => (await ask(at, '/livez').catch(() => null))?.status === 200;
    await until(async () => (await Promise.all(ports.map(isLive))).every(Boolean));
    const pids = await Promise.all(
      ports.map(async (at) => /^process_start_time_seconds (\S+)/m.exec(await (await ask(at, '/metrics')).text())?.[1]),
    );
    expect(new Set(pids).size).toBe(2);
    for (let n = 0; n < 40; n += 1)
      await fetch(`${server.base}/api/3/action/package_list`, { headers: { connection: 'close' } });
    const counted = async () =>
      summed(
        ...(await Promise.all(
          ports.map(async (at) => valuesOf(await (await ask(at, '/metrics')).text(), 'catalog_requests_total')),
        )),
      )['action package_list 200'];
    await until(async () => (await counted())! >= 40);
    expect(await counted()).toBe(40);
  } finally {
    await server.stop();
    await database.end();
  }
});
