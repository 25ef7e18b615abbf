/** Rate limits of visitors and users, at every endpoint. */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

/** Visitors regain one unit per second, so that a test of a few seconds sees nearly the same budget. */
const RATE = { 'catalog.rate.anonymous': 60, 'catalog.rate.users': 120, 'catalog.rate.saved': 3 } as const;
const MAX = 180;

let world: World;
let user: TestUser;
let admin: TestUser;
let dataset: { name: string };
beforeAll(async () => {
  world = await createWorld(
    { ...RATE, 'catalog.rate.exempt': ['198.51.100.0/24', '2001:db8:1::/48'] },
    { counts: true },
  );
  user = await world.make.user();
  admin = await world.make.sysadmin();
  dataset = await world.make.dataset();
});
afterAll(() => world.end());

let host = 0;
/** An unused address. */
const newAddress = () => `203.0.113.${(host += 1)}`;
const from = (address: string) => ({ 'x-forwarded-for': address });
const site = (address: string, headers: Record<string, string> = {}) =>
  world.graph('{ site { siteId } }', {}, { headers: { ...from(address), ...headers } });

/** Sends requests until one is refused. */
async function exhaust(ask: () => Promise<Answered>): Promise<{ passed: Answered[]; refused: Answered }> {
  const passed: Answered[] = [];
  while (passed.length < 200) {
    const answer = await ask();
    if (answer.status === 429) return { passed, refused: answer };
    passed.push(answer);
  }
  throw new Error('it was never refused');
}

function expectRefusal({ headers }: Answered): void {
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect(headers.get('ratelimit-policy')).toBe(`"cost";q=${MAX};w=180`);
  expect(headers.get('ratelimit')).toMatch(/^"cost";r=\d+;t=\d+$/);
}

describe('a visitor', () => {
  it('may spend the saved budget and is then refused with the time to wait', async () => {
    const address = newAddress();
    const { passed, refused } = await exhaust(() => site(address));
    expect(passed.length).toBeGreaterThanOrEqual(MAX / 12);
    expect(passed[0]!.headers.get('ratelimit')).toBe(`"cost";r=${MAX - 12};t=12`);
    expectRefusal(refused);
    expect(refused.body.errors).toEqual([
      {
        message: expect.stringMatching(
          /^Rate limit exceeded: the request costs 12, and \d+ of 180 are left. 60 are added per minute/,
        ),
        extensions: { code: 'RATE_LIMIT' },
      },
    ]);
    expect(refused.body).not.toHaveProperty('data');
    expect((await site(newAddress())).status).toBe(200);
  });

  it('is charged before anything runs', async () => {
    const address = newAddress();
    const dear = await world.graph('{ search(first: 1) { nodes { name } } }', {}, { headers: from(address) });
    expect(dear.status).toBe(200); // it costs more than the maximum budget, and the budget was full
    const statements = await world.statementsOf(async () => {
      const answer = await site(address);
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
    });
    expect(statements).toEqual([]);
  });

  it.each<[string, (headers: Record<string, string>) => Promise<Answered>, (answer: Answered) => unknown]>([
    [
      'the Action API',
      (headers) => world.request(`/api/3/action/package_show?id=${dataset.name}`, { headers }),
      ({ body }) => body.error.__type,
    ],
    [
      'the Action API by POST',
      (headers) => world.action('status_show', {}, { headers }),
      ({ body }) => body.error.__type,
    ],
    [
      'older versions',
      (headers) => world.request(`/api/2/rest/dataset/${dataset.name}`, { headers }),
      () => 'Too Many Requests',
    ],
    ['RDF', (headers) => world.request(`/dataset/${dataset.name}.ttl`, { headers }), () => 'Too Many Requests'],
    ['pages', (headers) => world.request('/about', { headers }), () => 'Too Many Requests'],
  ])('is refused at %s too', async (_door, ask, kind) => {
    const headers = from(newAddress());
    expect((await ask(headers)).status).toBe(200);
    const { refused } = await exhaust(() => ask(headers));
    expectRefusal(refused);
    expect(kind(refused)).toBe('Too Many Requests');
  });

  it('shares one bucket across all endpoints', async () => {
    const headers = from(newAddress());
    await world.request('/api/3/action/package_search', { headers });
    for (const path of [
      '/graphql?query={__typename}',
      `/api/3/action/package_show?id=${dataset.name}`,
      '/datastore/dump/x',
    ])
      expect({ path, status: (await world.request(path, { headers })).status }).toEqual({ path, status: 429 });
  });

  it('shares one bucket with its IPv6 network', async () => {
    await exhaust(() => site('2001:db8:2:3::1'));
    expect((await site('2001:db8:2:3:ffff::2')).status).toBe(429);
    expect((await site('2001:db8:2:4::1')).status).toBe(200);
  });

  it('is not charged for an invalid query', async () => {
    const headers = from(newAddress());
    const { headers: told, status } = await world.graph('{ nothing }', {}, { headers });
    expect({ status, told: told.get('ratelimit') }).toEqual({ status: 400, told: null });
  });
});

describe('a user', () => {
  it('has one bucket at every address', async () => {
    const asUser = { authorization: user.key };
    const first = await site(newAddress(), asUser);
    expect(first.headers.get('ratelimit-policy')).toBe('"cost";q=360;w=180');
    await exhaust(() => site(newAddress(), asUser));
    expect((await site(newAddress())).status).toBe(200);
  });
});

describe('no limit', () => {
  it('applies to system administrators and exempt networks', async () => {
    for (const answer of [
      await site(newAddress(), { authorization: admin.key }),
      await site('198.51.100.7'),
      await site('2001:db8:1:2::3'),
    ])
      expect({ status: answer.status, told: answer.headers.get('ratelimit') }).toEqual({ status: 200, told: null });
  });

  it('applies if none is configured', async () => {
    const free = await createWorld({}, { counts: true });
    try {
      expect((await free.graph('{ site { siteId } }')).headers.get('ratelimit')).toBeNull();
    } finally {
      await free.end();
    }
  });
});

describe('two processes on one database', () => {
  it('share the spending of a caller', async () => {
    const shared = { ...RATE, 'catalog.rate.shared': true };
    const first = await createWorld(shared, { counts: true });
    const app = await createApp({
      settings: settingsForTests({ ...first.settings, ...shared }),
      database: first.database,
      secret: randomBytes(32),
      log: pino({ level: 'silent' }),
    });
    try {
      await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve));
      const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
      const second = (headers: Record<string, string>) =>
        fetch(`${base}/graphql?query={site{siteId}}`, { headers }).then(({ status }) => status);
      const headers = from(newAddress());
      // Costs 4,012 of 180: the debt lasts more than an hour.
      expect((await first.graph('{ search(first: 1) { nodes { name } } }', {}, { headers })).status).toBe(200);
      await until(async () => (await second(headers)) === 429);
      expect(await second(from(newAddress()))).toBe(200);
    } finally {
      app.server.closeAllConnections();
      await app.close();
      await first.end();
    }
  });
});
