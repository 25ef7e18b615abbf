/** Limits of the memory, reads and streams that one caller can use in the feed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChangeObjectType } from '../../src/feed/feed.rules.ts';
import { changeStream } from '../../src/feed/feed.service.ts';
import { createGate } from '../../src/graph/admission/admission.ts';
import { createDocuments } from '../../src/graph/execution/documents.ts';
import { schema } from '../../src/graph/schema.ts';
import { createSubscriptions } from '../../src/graph/subscriptions/subscriptions.ts';
import { anonymous, withRequest } from '../../src/kernel/call.ts';
import { cursorOf } from '../../src/kernel/connection.ts';
import type { EventBlock } from '../../src/kernel/events.ts';
import { createWorld, type World } from '../helpers/world.ts';

const TYPES: readonly ChangeObjectType[] = ['DATASET', 'GROUP', 'ORGANIZATION', 'USER', 'TAG', 'VOCABULARY'];

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.limits.streams_per_caller': 3 }, { counts: true });
  await world.result('organization_create', { name: 'office' }, { as: await world.make.sysadmin() });
});
afterAll(() => world.end());

const streamFor = (address: string, gone: AbortSignal, args: Parameters<typeof changeStream>[1] = {}) =>
  changeStream(withRequest(world.app.callAs(anonymous(address)), { gone }), args);

/** The first block of the log for readers of these types. */
async function blockFor(types: readonly ChangeObjectType[]): Promise<EventBlock> {
  const gone = new AbortController();
  const stream = await streamFor('192.0.2.1', gone.signal, { after: cursorOf([0]), types });
  const { value } = await stream.next();
  gone.abort();
  await stream.return(undefined);
  return value!.block;
}

describe('a cached block', () => {
  it('is shared by all spellings of the same types, and evicted by many other requests', async () => {
    const holding = new AbortController();
    // Blocks are cached as long as one stream is open.
    await streamFor('192.0.2.2', holding.signal);
    const first = await blockFor(['USER', 'ORGANIZATION']);
    expect(await blockFor(['ORGANIZATION', 'USER', 'USER', 'ORGANIZATION'])).toBe(first);
    for (let set = 1; set < 2 ** TYPES.length; set += 1) {
      const types = TYPES.filter((_, n) => set & (1 << n));
      if (types.join() !== 'ORGANIZATION,USER') await blockFor(types);
    }
    const anew = await blockFor(['USER', 'ORGANIZATION']);
    expect(anew).not.toBe(first);
    expect(anew).toEqual(first);
    holding.abort();
  });
});

describe('a subscription', () => {
  it('runs once for all spellings of the same types', async () => {
    const holding = new AbortController();
    await streamFor('192.0.2.3', holding.signal);
    const call = world.app.callAs(anonymous('192.0.2.4'));
    const { subscribe } = createSubscriptions({
      schema,
      documents: createDocuments(schema),
      gate: createGate(schema, world.settings),
      log: call.process.log,
    });
    const query = `subscription ($after: String, $types: [ChangeObjectType!]) { changes(after: $after, types: $types) { objectId } }`;
    const firstOf = async (types: readonly string[]) => {
      const variables = { after: cursorOf([0]), types };
      const { stream, errors } = (await subscribe({ query, variables, call, again: () => call })) as any;
      expect(errors).toBeUndefined();
      for await (const { results } of stream) return results;
    };
    let [results, alike] = [[], []] as any[];
    // On a slow machine the cached result may expire before the second request (SHARED_FOR).
    while (results !== alike || results.length === 0) {
      results = await firstOf(['USER', 'ORGANIZATION']);
      alike = await firstOf(['ORGANIZATION', 'ORGANIZATION', 'USER']);
    }
    expect(results[0].data.changes.objectId).toEqual(expect.any(String));
    expect(await firstOf(['DATASET'])).not.toBe(results);
    holding.abort();
  });
});

describe('streams of a visitor', () => {
  it('are counted together for one IPv6 network', async () => {
    const open = new AbortController();
    for (const n of [1, 2, 3]) await streamFor(`2001:db8:1:2::${n}`, open.signal);
    await expect(streamFor('2001:db8:1:2:ffff::4', open.signal)).rejects.toMatchObject({ kind: 'LIMIT' });
    await streamFor('2001:db8:1:3::1', open.signal);
    open.abort();
  });

  it('return 429 beyond the limit, and 400 for a page that is too long', async () => {
    const open = new AbortController();
    for (let n = 0; n < 3; n += 1) await streamFor('127.0.0.1', open.signal);
    const full = await world.request('/changes', { headers: { accept: 'text/event-stream' } });
    const { next } = JSON.parse((await world.request('/changes?limit=1000')).text.trim().split('\n').at(-1)!);
    const waiting = await world.request(`/changes?after=${next}&wait=1`);
    for (const { status, headers, body } of [full, waiting])
      expect([status, headers.get('retry-after'), body.error.code]).toEqual([429, '10', 'LIMIT']);
    open.abort();
    const long = await world.request('/changes?limit=100000');
    expect([long.status, long.headers.get('retry-after'), long.body]).toEqual([
      400,
      null,
      { error: { code: 'LIMIT', message: 'limit: Must be at most 1000 (got 100000; catalog.limits.rows)' } },
    ]);
  });
});

describe('counting the log', () => {
  it('costs as much as counting a search, so that one operation can do it a few times only', async () => {
    const many = (count: number) =>
      world.graph(
        `{ ${Array.from({ length: count }, (_, n) => `a${n}: changes(first: 1) { totalCount }`).join(' ')} }`,
      );
    expect(Number((await many(2)).headers.get('graphql-cost'))).toBe(2 * (10 + 2_000 + 2_000));
    expect((await many(13)).body.errors[0].extensions).toMatchObject({ code: 'LIMIT', limit: { name: 'cost' } });
  });

  it('is refused early if the log is too long', async () => {
    const count = () => world.graph('{ changes(first: 1) { totalCount } }');
    const { totalCount } = (await count()).body.data.changes;
    await world.database.pool.query(
      `INSERT INTO change (revision_id, object_type, object_id, action, position, readers)
       SELECT (SELECT id FROM revision LIMIT 1), 'tag', 'tag-' || n, 'created', n, '{"of":"anybody"}'
       FROM (SELECT COALESCE(max(position), 0) AS last FROM change) c, generate_series(c.last + 1, 10000) n`,
    );
    expect((await count()).body.data.changes.totalCount).toBeGreaterThan(totalCount);
    await world.database.pool.query(
      `INSERT INTO change (revision_id, object_type, object_id, action) SELECT id, 'tag', 'one-more', 'created' FROM revision LIMIT 1`,
    );
    const texts = await world.statementsOf(async () => {
      const { errors } = (await count()).body;
      expect(errors[0]).toMatchObject({ extensions: { code: 'LIMIT' }, message: expect.stringContaining('10000') });
    });
    expect(texts.length).toBeLessThan(15);
  });
});

describe('subscriptions at /graphql', () => {
  it('are refused without `Accept: text/event-stream`', async () => {
    const { body } = await world.graph('subscription { changes { cursor } }');
    expect(body.errors[0]).toMatchObject({
      extensions: { code: 'VALIDATION' },
      message: expect.stringContaining('Accept: text/event-stream'),
    });
  });
});

describe('a client that disconnects before its stream starts', () => {
  it('leaves no stream open', async () => {
    const [gone, here] = [AbortSignal.abort(), new AbortController()];
    for (let n = 0; n < 4; n += 1) await streamFor('192.0.2.9', gone); // never read, as the client has disconnected
    const stream = await streamFor('192.0.2.9', here.signal, { after: cursorOf([0]) });
    expect((await stream.next()).done).toBe(false);
    here.abort();
  });
});

describe('a page', () => {
  it('reads past 9,000 hidden changes in few statements, and pages neither skip nor repeat a change', async () => {
    const after = (await world.graph('{ changesEnd }')).body.data.changesEnd;
    await world.database.pool.query(
      `INSERT INTO change (revision_id, object_type, object_id, action, position, readers)
       SELECT (SELECT id FROM revision LIMIT 1), 'tag', 'paged-' || n, 'created', c.last + n,
         CASE WHEN n < 100 OR n > 9100 THEN '{"of":"anybody"}' ELSE 'null' END::jsonb
       FROM (SELECT max(position) AS last FROM change) c, generate_series(1, 9300) n`,
    );
    const visible = Array.from({ length: 9_300 }, (_, at) => at + 1).filter((n) => n < 100 || n > 9_100);
    const changes = async (first: number, from: string) => {
      const query = `{ changes(first: ${first}, after: "${from}") { nodes { objectId } pageInfo { endCursor } } }`;
      return (await world.graph(query)).body.data.changes;
    };
    const sent = await world.statementsOf(() => changes(100, after));
    const reads = sent.filter((text) => text.includes('readers_before IS NULL AS same'));
    expect(reads.length).toBeGreaterThan(1);
    expect(reads.length).toBeLessThanOrEqual(15);
    for (const first of [7, 100]) {
      const found: string[] = [];
      for (let from = after; found.length < visible.length; ) {
        const { nodes, pageInfo } = await changes(first, from);
        found.push(...nodes.map(({ objectId }: { objectId: string }) => objectId));
        if (pageInfo.endCursor === from) break;
        from = pageInfo.endCursor;
      }
      expect(found).toEqual(visible.map((n) => `paged-${n}`));
    }
  });
});
