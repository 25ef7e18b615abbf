/** SolrCloud: searches continue when a node dies, and the index is complete after its return. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '../../src/infra/postgres/db.ts';
import { type Feed, feedOf } from '../../src/search/solr/feed.service.ts';
import { startFollower } from '../../src/search/solr/follower.ts';
import { hasJava } from '../helpers/java.ts';
import type { TestUser } from '../helpers/make.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import type { SolrNode } from '../helpers/solr.ts';
import { type SolrCloud, startSolrCloud } from '../helpers/solr-cloud.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

describeWith('javac, java and mvn', hasJava(), 'SolrCloud with two nodes', () => {
  let cloud: SolrCloud;
  let world: World;
  let admin: TestUser;
  let follower: ReturnType<typeof startFollower>;
  let database: Database;
  let feed: Feed;
  beforeAll(async () => {
    cloud = await startSolrCloud();
    // No server listens at the first address.
    const urls = [`http://127.0.0.1:${await freePort()}/solr/catalog`, ...cloud.urls];
    world = await createWorld({ 'catalog.search.solr_url': urls });
    admin = await world.make.sysadmin();
    const databaseUrl = world.database.url;
    follower = startFollower({ databaseUrl, solrUrls: urls, log: world.app.callAs(world.system).process.log });
    database = openDatabase({ url: databaseUrl, max: 1 });
    feed = feedOf(database.sql, urls);
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await follower?.stop();
    await database?.close();
    await world?.end();
    await cloud?.stop();
  });

  /** Runs one search: its status, time in ms, number of results and error. */
  async function search() {
    const start = performance.now();
    const { status, body } = await world.action('package_search', { q: 'kangaroo', rows: 1 });
    const ms = performance.now() - start;
    return { status, ms, count: body.result?.count as number, message: body.error?.message as string };
  }
  /** Creates a dataset; also changes one of three, and purges one of five. */
  async function write(index: number): Promise<void> {
    const { id } = await world.make.dataset({ title: index % 5 === 0 ? 'Kangaroo, soon gone' : 'Kangaroo' });
    if (index % 3 === 0) await world.result('package_patch', { id, notes: 'It hops.' }, { as: admin });
    if (index % 5 === 0) await world.result('dataset_purge', { id }, { as: admin });
  }
  /** Searches and writes again and again until the work is done. */
  async function during(work: () => Promise<unknown>) {
    const found: Awaited<ReturnType<typeof search>>[] = [];
    let isDone = false;
    let written = 0;
    const searches = async () => {
      for (; !isDone; await sleep(40)) found.push(await search());
    };
    const writes = async () => {
      for (; !isDone; await sleep(100)) await write(written++);
    };
    const load = Promise.all([searches(), writes()]);
    await Promise.race([load, work().finally(() => (isDone = true))]);
    await load;
    return found;
  }
  /** Writes a dataset, and waits until it is found. */
  async function writeAndFind(): Promise<void> {
    const { id } = await world.make.dataset({ title: 'Wallaby' });
    await until(async () => (await world.result('package_search', { fq: `id:${id}`, rows: 0 })).count === 1);
  }
  /** Expects the same data in the catalog and on both nodes. */
  async function expectSame(): Promise<void> {
    await until(
      () => differences().then(({ length }) => length === 0),
      () => differences(),
    );
    const contents = () => Promise.all(cloud.nodes.map((node) => cloud.documentsOf(node)));
    const [one] = await until(async () => {
      const [one, other] = await contents();
      return isDeepStrictEqual(one, other) && [one!];
    }, contents);
    const { rows } = await world.database.pool.query<{ id: string }>(
      "SELECT dataset_id AS id FROM dataset_search WHERE state <> 'purged'",
    );
    expect(one.map((doc) => JSON.parse(doc).id).sort()).toEqual(['(feed)', ...rows.map(({ id }) => id)].sort());
  }
  async function differences(): Promise<unknown[]> {
    const all: unknown[] = [];
    for await (const { faults } of feed.check()) all.push(...faults);
    return all;
  }
  const mayTake = () => world.settings['search.timeout'] * 1_000;

  it('is searched although the first address is unreachable from the start', async () => {
    await writeAndFind();
    expect((await world.request('/readyz')).body).toMatchObject({ parts: { search: 'ok' } });
    await expectSame();
  });

  it('answers searches while either node is paused', async () => {
    for (const node of cloud.nodes) {
      node.signal('SIGSTOP');
      try {
        for (let index = 0; index < 3; index += 1) {
          const { status, ms, message } = await search();
          expect([status, message]).toEqual([200, undefined]);
          expect(ms).toBeLessThan(mayTake());
        }
      } finally {
        node.signal('SIGCONT');
      }
      await cloud.whole();
    }
  });

  /** Searches continue all the time, and find no less than before. New writes are found as soon as another node leads. */
  async function survivesDeathOf(leader: SolrNode): Promise<void> {
    const before = (await search()).count;
    const found = await during(async () => {
      await writeAndFind();
      await leader.kill();
      await until(async () => (await cloud.leader()) !== leader);
      await writeAndFind();
    });
    expectAnswers(found, before);
  }
  function expectAnswers(found: Awaited<ReturnType<typeof during>>, least: number): void {
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ status, ms, count }) => status !== 200 || ms > mayTake() || count < least)).toEqual([]);
  }

  it('searches and accepts writes while the leader is down, and both nodes are complete after its return', async () => {
    const leader = await cloud.leader();
    await survivesDeathOf(leader);
    const before = (await search()).count;
    expectAnswers(await during(() => leader.start()), before);
    await cloud.whole();
    await expectSame();
  });

  it('returns 503 within the timeout while both nodes are down, and indexes the writes of that time later', async () => {
    await survivesDeathOf(await cloud.leader());
    await (await cloud.leader()).kill();
    for (let index = 0; index < 10; index += 1) await write(index);
    for (let index = 0; index < 5; index += 1) {
      const { status, ms, message } = await search();
      expect([status, message]).toEqual([503, expect.stringMatching(/does not respond/)]);
      expect(ms).toBeLessThan(mayTake());
    }
    expect(await world.request('/readyz')).toMatchObject({ status: 503, body: { parts: { search: 'failing' } } });
    await Promise.all(cloud.nodes.map((node) => node.start()));
    await cloud.whole();
    await expectSame();
    expect((await search()).status).toBe(200);
  });
});
