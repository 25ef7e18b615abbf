/** The feed of writes to Solr: complete and in order, through failures of Solr and of the catalog. */

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startFollower } from '../../src/search/solr/follower.ts';
import { hasJava } from '../helpers/java.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSolrWorld, type SolrNode, type SolrWorld, startSolr } from '../helpers/solr.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

describeWith('javac, java and mvn', hasJava(), 'the feed of Solr', () => {
  let solr: SolrNode;
  let world: World;
  let fed: SolrWorld;
  let admin: TestUser;
  beforeAll(async () => {
    solr = await startSolr(['one', 'two']);
    fed = await createSolrWorld(solr.urlOf('one'));
    world = await createWorld({ 'catalog.search.solr_url': [solr.urlOf('two')] });
    admin = await fed.make.sysadmin();
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await fed?.end();
    await world?.end();
    await solr?.stop();
  });

  const faults = async () => {
    const found: unknown[] = [];
    for await (const batch of fed.feed.check()) found.push(...batch.faults);
    return found;
  };
  /** Waits for the feed, as Solr may replay its own log after a start. */
  const caughtUp = () =>
    until(
      () =>
        fed.feed.follow().then(
          () => true,
          () => false,
        ),
      () => fed.feed.follow(),
    );
  const count = async (params: Record<string, unknown> = {}) =>
    (await fed.result('package_search', { rows: 0, ...params })).count as number;
  const direct = async (path: string, body: object) =>
    (await fetch(`${solr.urlOf('one')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.json())) as any;

  it('has a follower that indexes a write and removes a purged dataset within seconds', async () => {
    const follower = startFollower({
      databaseUrl: world.database.url,
      solrUrls: [solr.urlOf('two')],
      log: world.app.callAs(world.system).process.log,
    });
    const found = async () => (await world.result('package_search', { q: 'quokka', rows: 0 })).count;
    const { id } = await world.make.dataset({ title: 'Quokka' });
    await until(async () => (await found()) === 1);
    await world.result('dataset_purge', { id }, { as: await world.make.sysadmin() });
    await until(async () => (await found()) === 0);
    await follower.stop();
  });

  it('never shows a deleted dataset that is still in the index', async () => {
    const { id, name } = await fed.make.dataset({ title: 'Numbat', tags: [{ name: 'shy' }] });
    expect(await count({ q: 'numbat' })).toBe(1);
    const late = async (options: object = {}) => {
      // Bypasses the feed: the index does not have the change yet.
      const answer = await fed.request('/api/3/action/package_search?q=numbat', options);
      return answer.body.result.results;
    };
    await fed.request('/api/3/action/package_patch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: admin.key },
      body: JSON.stringify({ id, state: 'deleted' }),
    });
    expect(await late()).toEqual([]);
    expect(await late({ headers: { authorization: admin.key } })).toEqual([]);
    expect(await count({ q: name })).toBe(0);
  });

  it('fills a page with further results for hidden ones', async () => {
    const made = [];
    for (let index = 0; index < 6; index += 1)
      made.push(await fed.make.dataset({ name: `bilby-${index}`, title: 'Bilby' }));
    await fed.feed.follow();
    const hidden = [made[0]!.id, made[1]!.id, made[4]!.id];
    await fed.database.pool.query('UPDATE dataset_document SET private = true WHERE dataset_id = ANY ($1)', [hidden]);
    const query =
      '{ search(query: "bilby", orderBy: { field: NAME }, first: 2) { nodes { name } pageInfo { hasNextPage } } }';
    const { body } = await fed.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(body.data.search).toEqual({
      nodes: [{ name: 'bilby-2' }, { name: 'bilby-3' }],
      pageInfo: { hasNextPage: true },
    });
  });

  it('returns an error while Solr is down, and indexes the writes of that time later', async () => {
    const before = await count();
    const kept = await fed.make.dataset({ title: 'Wombat before' });
    await fed.feed.follow();
    await solr.kill();
    for (let index = 0; index < 5; index += 1) await fed.make.dataset({ title: 'Wombat' });
    const gone = await fed.make.dataset({ title: 'Wombat gone' });
    await expect(fed.feed.follow()).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
    const refused = await fed.request('/api/3/action/package_search?q=wombat');
    expect(refused.body).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(/does not respond/) },
    });
    const graph = await fed.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ search(query: "wombat") { totalCount } }' }),
    });
    expect(graph.body.errors[0].extensions.code).toBe('UNAVAILABLE');
    await fed.database.pool.query('DELETE FROM dataset_document WHERE dataset_id = $1', [gone.id]);
    await fed.database.pool.query('UPDATE dataset_document SET private = true WHERE dataset_id = $1', [kept.id]);
    await solr.start();
    await caughtUp();
    expect(await count({ q: 'wombat' })).toBe(5);
    expect(await count()).toBe(before + 5);
    expect(await faults()).toEqual([]);
  });

  it('continues at the position that is stored in Solr, and indexes nothing twice', async () => {
    const { id } = await fed.make.dataset({ title: 'Dingo' });
    expect(await fed.feed.follow()).toBe(1);
    expect(await fed.feed.follow()).toBe(0);
    const [{ feed }] = (await direct('/query', { query: 'id:"(feed)"', limit: 1 })).response.docs;
    expect(JSON.parse(feed)).toEqual({ generation: expect.any(String), since: expect.stringMatching(/^\d+$/) });
    // As if the process had been killed long ago: the position in Solr counts, not the one in memory.
    const killed = JSON.stringify({ ...JSON.parse(feed), since: '3' });
    await direct('/update', { delete: [id] });
    await direct('/update?softCommit=true', { add: { doc: { id: '(feed)', feed: killed } } });
    await fed.make.dataset({ title: 'Dingo' });
    expect(await count({ q: 'dingo' })).toBe(2);
    expect(await faults()).toEqual([]);
  });

  it('indexes more than one batch, and all of it is found at once', async () => {
    const before = await count();
    for (let index = 0; index < 205; index += 1) await fed.make.dataset({ title: `Many ${index}` });
    expect(await fed.feed.follow()).toBe(205);
    expect(await count({ q: 'many' })).toBe(205);
    expect(await count()).toBe(before + 205);
  });

  it('reports differences, and repairs them', async () => {
    const [lost, old] = [await fed.make.dataset({ title: 'Lost' }), await fed.make.dataset({ title: 'Old' })];
    await fed.feed.follow();
    expect(await faults()).toEqual([]);
    await direct('/update?commit=true', { delete: [lost.id] });
    await direct('/update?commit=true', [
      {
        id: old.id,
        number: (await direct('/query', { query: `id:${old.id}`, limit: 1 })).response.docs[0].number,
        written: 1,
      },
      { id: 'nobody', number: 1_000_000, written: 1, labels: ['public'], state: 'active' },
    ]);
    const told = (await faults()) as { id: string; fault: string }[];
    expect(Object.fromEntries(told.map(({ id, fault }) => [id, fault]))).toEqual({
      [lost.id]: '(missing)',
      [old.id]: '(older)',
      nobody: '(removed)',
    });
    let written = 0;
    for await (const batch of fed.feed.rebuild()) written += batch;
    expect(written).toBeGreaterThanOrEqual((await fed.feed.status()).indexed);
    // An older open transaction, also of another test on the same server, can delay all later writes.
    await until(async () => {
      await fed.feed.follow();
      return (await fed.feed.status()).waiting! < 5;
    }, fed.feed.status);
    expect(await faults()).toEqual([]);
    expect(await count({ q: 'old OR lost', defType: 'lucene' })).toBe(2);
  });

  it('starts again if the index in Solr belongs to another database', async () => {
    const other = await createSolrWorld(solr.urlOf('one'));
    await other.make.dataset({ title: 'Another catalog' });
    expect((await other.result('package_search', {})).count).toBe(1);
    await other.end();
    const all = await count();
    expect(all).toBeGreaterThan(200);
    expect(await faults()).toEqual([]);
  });
});
