/** A load balancer of two standbys as one replica. No read uses a server other than the one whose position was read. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openReplicas, type Replicas } from '../../src/infra/postgres/replicas.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { migrate } from '../../src/migrate/migrate.ts';
import { Group, type Node, postgresPrograms, provideCatalog } from '../helpers/replication.ts';
import { describeWith } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';

const programs = postgresPrograms();

describeWith("the programs of PostgreSQL's package", programs !== null, 'a balancer of replicas', () => {
  let group: Group;
  let standbys: Node[];
  /** Port of the server that new connections reach. */
  let target: number;
  let balancer: Server;
  let replicas: Replicas;

  beforeAll(async () => {
    group = new Group(programs!);
    const primary = await group.node('a');
    standbys = [await group.node('b'), await group.node('c')];
    await primary.begin();
    await provideCatalog(primary);
    await primary.query(`ALTER ROLE catalog_owner SET timezone = 'Asia/Tokyo'`); // a setting by which connections differ
    for (const standby of standbys) await standby.follow(primary);
    target = standbys[0]!.port;
    balancer = createServer((socket) => {
      const to = connect(target, '127.0.0.1');
      socket.on('error', () => to.destroy()).pipe(to);
      to.on('error', () => socket.destroy()).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(balancer, 'listening');
    const { port } = balancer.address() as AddressInfo;
    const urlOf = (at: number) => `postgresql://catalog_owner@127.0.0.1:${at}/catalog`;
    const settings = settingsForTests({ 'catalog.database_replica_urls': [urlOf(port)] });
    await migrate(urlOf(primary.port));
    replicas = openReplicas(settings, urlOf(primary.port), pino({ level: 'silent' }))!;
  }, 180_000);
  afterAll(async () => {
    await replicas?.close();
    balancer?.close();
    await group?.end();
  });

  const read = async () =>
    (await until(() => replicas.choose(60_000)))!.rows<{ port: number }>({ text: 'SELECT inet_server_port() AS port' });

  it('reads only from the server whose position is known', async () => {
    await until(() => replicas.choose(60_000));
    target = standbys[1]!.port; // the connection that reads the position stays on the first server
    await expect(read()).rejects.toThrow('the connection reached another server');
    target = standbys[0]!.port;
    expect(await read()).toEqual([{ port: target }]);
  });

  it('drops all connections to a server whose position is no longer known', async () => {
    target = standbys[1]!.port;
    await standbys[0]!.kill();
    await until(async () => (await read().catch(() => null))?.[0]?.port === target);
  });
});
