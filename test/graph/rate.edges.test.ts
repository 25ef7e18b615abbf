/**
 * The rate limit at its boundary, at every endpoint: a caller with just enough budget is answered, one with less is refused before
 * anything runs, with an error that names the cost. A minute adds only 1 or 12 units, so a slow test sees nearly the same budget.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

const MINUTES = 1_440;
const CHEAP = 1;
const DEAR = 12;

interface Site {
  readonly world: World;
  readonly perMinute: number;
  readonly dataset: string;
  readonly resource: string;
}
const sites = new Map<number, Site>();

beforeAll(async () => {
  for (const perMinute of [CHEAP, DEAR]) {
    const world = await createWorld(
      { 'catalog.rate.anonymous': perMinute, 'catalog.rate.saved': MINUTES },
      { counts: true },
    );
    await world.datastore();
    const as = await world.make.sysadmin();
    const { name, body } = await world.make.dataset({ resources: [{ url: 'http://example.com/a.csv' }] });
    const resource = body.resources[0]!.id;
    await world.result('datastore_create', { resource_id: resource, force: true, records: [{ a: 1 }] }, { as });
    sites.set(perMinute, { world, perMinute, dataset: name, resource });
  }
}, 300_000);
afterAll(() => Promise.all([...sites.values()].map(({ world }) => world.end())));

let host = 0;
/** An unused address. */
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${(host += 1)}` });
const left = ({ headers }: Answered): number => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

/** Spends `cost` by one GraphQL operation that costs exactly that. */
async function spend({ world }: Site, headers: Record<string, string>, cost: number): Promise<void> {
  const {
    status,
    headers: told,
    text,
  } = await world.graph(`{ groupSuggestions(text: "", limit: ${cost - 11}) { name } }`, {}, { headers });
  if (status !== 200 || told.get('graphql-cost') !== String(cost)) throw new Error(`${cost} → ${status} ${text}`);
}

type ActionRunner = (site: Site, headers: Record<string, string>) => Promise<Answered>;
/** Each endpoint with the units added per minute and its request. */
const DOORS: Record<string, [perMinute: number, ask: ActionRunner]> = {
  'the graph': [CHEAP, ({ world }, headers) => world.graph('{ site { siteId title } }', {}, { headers })],
  'the graph by GET': [CHEAP, ({ world }, headers) => world.request('/graphql?query={site{siteId}}', { headers })],
  'an action': [
    CHEAP,
    ({ world, dataset }, headers) => world.request(`/api/3/action/package_show?id=${dataset}`, { headers }),
  ],
  'an action by POST': [CHEAP, ({ world }, headers) => world.action('status_show', {}, { headers })],
  'the older API': [
    CHEAP,
    ({ world, dataset }, headers) => world.request(`/api/2/rest/dataset/${dataset}`, { headers }),
  ],
  RDF: [CHEAP, ({ world, dataset }, headers) => world.request(`/dataset/${dataset}.ttl`, { headers })],
  'a table': [
    DEAR,
    ({ world, resource }, headers) =>
      world.request(`/api/3/action/datastore_search?limit=10&resource_id=${resource}`, { headers }),
  ],
  'SQL over tables': [
    DEAR,
    ({ world, resource }, headers) =>
      world.request(`/api/3/action/datastore_search_sql?sql=${encodeURIComponent(`SELECT * FROM "${resource}"`)}`, {
        headers,
      }),
  ],
  'the dump of a table': [
    DEAR,
    ({ world, resource }, headers) => world.request(`/datastore/dump/${resource}`, { headers }),
  ],
  'a search': [DEAR, ({ world }, headers) => world.request('/api/3/action/package_search', { headers })],
  'the log of changes': [DEAR, ({ world }, headers) => world.request('/changes', { headers })],
};

describe.each(Object.keys(DOORS))('%s', (name) => {
  it('answers a caller with just enough budget and refuses one with less before anything runs', async () => {
    const [perMinute, ask] = DOORS[name]!;
    const site = sites.get(perMinute)!;
    const most = perMinute * MINUTES;
    const first = await ask(site, newAddress());
    expect(first.status).toBe(200);
    const cost = most - left(first);
    expect(cost).toBeGreaterThan(0);

    const enough = newAddress();
    await spend(site, enough, most - cost);
    const passed = await ask(site, enough);
    expect({ status: passed.status, most: passed.headers.get('ratelimit-policy') }).toEqual({
      status: 200,
      most: `"cost";q=${most};w=${MINUTES * 60}`,
    });

    const short = newAddress();
    await spend(site, short, most - cost + perMinute);
    let refused: Answered | undefined;
    const statements = await site.world.statementsOf(async () => {
      refused = await ask(site, short);
    });
    expect({ status: refused!.status, statements }).toEqual({ status: 429, statements: [] });
    expect(Number(refused!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused!.text).toContain(`the request costs ${cost}, and ${cost - perMinute} of ${most} are left`);
  });
});
