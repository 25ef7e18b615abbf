/** Link verdicts in GraphQL, statistics, searches, resource_show and pages, for readers, members and administrators. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { linkStatus, linksDue } from '../../src/links/operate.service.ts';
import { searchCheck } from '../../src/search/index/index.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { walkBoth } from '../helpers/pages.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const VERDICTS = ['ok', 'moved', 'broken', 'forbidden', 'unknown'] as const;

let world: World;
let member: TestUser;
let boss: TestUser;
let outsider: TestUser;
const organizations: string[] = [];
let datasets: { id: string; name: string; isPrivate: boolean; organization: string; resources: string[] }[];
let cookie: string;

beforeAll(async () => {
  world = await createWorld({ 'catalog.loading.links': false });
  [member, boss, outsider] = [await world.make.user(), await world.make.sysadmin(), await world.make.user()];
  for (const capacity of ['editor', 'member'])
    organizations.push((await world.make.organization({ members: { [member.id]: capacity as 'editor' } })).id);
  organizations.push((await world.make.organization()).id);
  datasets = [];
  for (let n = 0; n < 24; n += 1) {
    const organization = organizations[n % 3]!;
    const isPrivate = n % 4 === 3;
    const { id, name, body } = await world.make.dataset({
      ownerOrganization: organization,
      private: isPrivate,
      resources: Array.from({ length: 1 + (n % 3) }, (_, at) => ({ url: `https://example.org/${n}/${at}.csv` })),
    });
    datasets.push({ id, name, isPrivate, organization, resources: body.resources.map((one) => one.id) });
  }
  await world.make.dataset({ resources: [{ url: 'ftp://example.org/a.csv' }] });
  const { pool } = world.database;
  // Writes verdicts as checks would. Every second resource of some datasets has none yet.
  await pool.query(
    `UPDATE resource_link l SET verdict = ($1::text[])[1 + n % 5], since = now() - make_interval(hours => n), checked_at = now(),
       reason = CASE n % 5 WHEN 2 THEN 'not_found' WHEN 1 THEN 'moved' END, final_url = CASE n % 5 WHEN 1 THEN 'https://example.org/new' END,
       http_status = 404, failures = 2, first_failure_at = now(), is_indexed = false, host = 'example.org', next_at = now() + interval '1 day'
     FROM (SELECT resource_id, row_number() OVER (ORDER BY url)::int AS n FROM resource_link) o
     WHERE o.resource_id = l.resource_id AND n % 7 <> 0`,
    [VERDICTS],
  );
  const checker = await world.app.startChecker();
  await until(async () => (await pool.query('SELECT FROM resource_link WHERE NOT is_indexed')).rowCount === 0);
  await checker.stop();
  const user = { name: 'editor', email: 'editor@example.org', password: 'correct horse' };
  const { id } = await world.result('user_create', user, { as: boss });
  await world.result(
    'organization_member_create',
    { id: organizations[0], username: 'editor', role: 'editor' },
    { as: boss },
  );
  void id;
  const { body } = await world.graph(
    'mutation { login(input: { login: "editor", password: "correct horse" }) { session { secret } } }',
  );
  cookie = `catalog_session=${body.data.login.session.secret}`;
});
afterAll(() => world.end());

/** Links with a verdict that the caller may read, read from the tables. */
async function links(
  as: TestUser | null,
  organization?: string,
): Promise<{ id: string; dataset: string; verdict: string; owner: string }[]> {
  const readable = datasets.filter(
    (one) => !one.isPrivate || as === boss || (as === member && one.organization !== organizations[2]),
  );
  const { rows } = await world.database.pool.query(
    `SELECT r.id, r.dataset_id AS dataset, l.verdict, d.owner_organization_id AS owner FROM resource_link l JOIN resource r ON r.id = l.resource_id
     JOIN dataset d ON d.id = r.dataset_id WHERE l.verdict IS NOT NULL AND r.dataset_id = ANY ($1) AND ($2::text IS NULL OR d.owner_organization_id = $2)
     ORDER BY l.since, r.id`,
    [readable.map(({ id }) => id), organization ?? null],
  );
  return rows;
}
const counted = (rows: { dataset: string; verdict: string }[]) =>
  Object.fromEntries(
    [...new Set(rows.map(({ verdict }) => verdict))].sort().map((verdict) => {
      const some = rows.filter((row) => row.verdict === verdict);
      return [verdict, { datasets: new Set(some.map(({ dataset }) => dataset)).size, resources: some.length }];
    }),
  );
const callers = (): [string, TestUser | null][] => [
  ['visitor', null],
  ['outsider', outsider],
  ['member', member],
  ['administrator', boss],
];

it('records only links to other servers', async () => {
  const { rows } = await world.database.pool.query('SELECT count(*)::int AS n FROM resource_link');
  expect(rows[0].n).toBe(datasets.flatMap(({ resources }) => resources).length);
});

it.each(['BROKEN', 'MOVED', 'UNKNOWN'])(
  'lists resources with the verdict %s by age, as far as the caller may read them',
  async (verdict) => {
    for (const [, as] of callers())
      for (const organization of [undefined, ...organizations]) {
        const list = `resourcesByLink(verdict: ${verdict}${organization ? `, organization: "${organization}"` : ''}`;
        const found = await walkBoth(world, list, '{ databaseId }', { as, size: 2, of: 'statistics' });
        const expected = (await links(as, organization)).filter((row) => row.verdict === verdict.toLowerCase());
        expect(found.map(({ databaseId }) => databaseId)).toEqual(expected.map(({ id }) => id));
      }
  },
);

it('refuses an unknown organization, an invalid cursor and pages over the limit', async () => {
  for (const [argument, code] of [
    ['organization: "nobody"', 'VALIDATION'],
    ['after: "x"', 'VALIDATION'],
    ['first: 100000', 'LIMIT'],
  ]) {
    const { body } = await world.graph(`{ statistics { resourcesByLink(${argument}) { nodes { url } } } }`);
    expect(body.errors[0].extensions.code).toBe(code);
  }
});

it('counts links and datasets like the tables', async () => {
  for (const [name, as] of callers())
    for (const organization of [undefined, ...organizations]) {
      const argument = organization ? `(organization: "${organization}")` : '';
      const { body } = await world.graph(
        `{ statistics { links${argument} { verdict datasets resources } } }`,
        {},
        { as },
      );
      const found = Object.fromEntries(
        body.data.statistics.links.map(({ verdict, ...rest }: any) => [verdict.toLowerCase(), rest]),
      );
      expect([name, found]).toEqual([name, counted(await links(as, organization))]);
    }
});

it('counts organizations with broken links', async () => {
  for (const [name, as] of callers()) {
    const query =
      '{ statistics { linkOrganizations(verdict: BROKEN) { totalCount items { name datasets resources } } } }';
    const { body } = await world.graph(query, {}, { as });
    const broken = (await links(as)).filter(({ verdict }) => verdict === 'broken');
    const { items, totalCount } = body.data.statistics.linkOrganizations;
    expect([name, totalCount]).toEqual([name, new Set(broken.map(({ owner }) => owner)).size]);
    const names = new Map((await world.database.db.group.findMany()).map((group) => [group.name, group.id]));
    for (const item of items)
      expect(item.resources).toBe(broken.filter(({ owner }) => owner === names.get(item.name)).length);
  }
});

it('finds and counts datasets by verdict', async () => {
  const rows = await links(null);
  for (const verdict of VERDICTS) {
    const expected = datasets.filter(({ id }) => rows.some((row) => row.dataset === id && row.verdict === verdict));
    const found = await world.result('package_search', { fq: `link_status:${verdict}`, rows: 100 });
    expect(found.results.map(({ id }: any) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    const { body } = await world.graph(
      `{ search(where: { linkVerdicts: [${verdict.toUpperCase()}] }) { totalCount } }`,
    );
    expect(body.data.search.totalCount).toBe(expected.length);
  }
  const { search_facets: facets } = await world.result('package_search', { 'facet.field': ['link_status'], rows: 0 });
  const counts = Object.fromEntries(facets.link_status.items.map(({ name, count }: any) => [name, count]));
  expect(counts).toEqual(
    Object.fromEntries(Object.entries(counted(rows)).map(([verdict, { datasets }]) => [verdict, datasets])),
  );
});

describe('a changed link', () => {
  it('loses its verdict and its place in the search', async () => {
    const [row] = (await links(null)).filter(({ verdict }) => verdict === 'broken');
    const search = async () =>
      (await world.result('package_search', { fq: `link_status:broken AND id:${row!.dataset}` })).count;
    expect(await search()).toBe(1);
    const { resources } = datasets.find(({ id }) => id === row!.dataset)!;
    for (const id of resources)
      await world.result('resource_patch', { id, url: `https://example.org/changed/${id}` }, { as: boss });
    expect(await search()).toBe(0);
    const { body } = await world.graph(
      `{ resource(databaseId: "${row!.id}") { link { url verdict since failures history { at } } } }`,
    );
    expect(body.data.resource.link).toEqual({
      url: `https://example.org/changed/${row!.id}`,
      verdict: null,
      since: null,
      failures: 0,
      history: [],
    });
    expect((await world.result('resource_show', { id: row!.id })).archiver).toBeUndefined();
  });

  it('keeps its verdict when another field changes', async () => {
    const [row] = (await links(null)).filter(({ verdict }) => verdict === 'moved');
    await world.result('resource_patch', { id: row!.id, name: 'new' }, { as: boss });
    const { body } = await world.graph(`{ resource(databaseId: "${row!.id}") { link { verdict } } }`);
    expect(body.data.resource.link.verdict).toBe('MOVED');
  });

  it('has no link state if its scheme is not http', async () => {
    const [row] = (await links(null)).filter(({ verdict }) => verdict === 'forbidden');
    await world.result('resource_patch', { id: row!.id, url: 'ftp://example.org/x' }, { as: boss });
    const { body } = await world.graph(`{ resource(databaseId: "${row!.id}") { link { verdict } } }`);
    expect(body.data.resource.link).toBeNull();
  });
});

it('returns the fields of the archiver extension', async () => {
  const [row] = (await links(null)).filter(({ verdict }) => verdict === 'broken');
  const { archiver } = await world.result('resource_show', { id: row!.id });
  expect(archiver).toMatchObject({
    status: 'broken',
    is_broken: true,
    is_broken_printable: 'Broken',
    reason: 'not_found',
    failure_count: 2,
    url_redirected_to: null,
  });
  expect(archiver.updated).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{6}$/);
});

const page = (path: string) => world.request(path, { redirect: 'manual', headers: { accept: 'text/html', cookie } });

it('labels broken links on pages in four languages', async () => {
  const rows = await links(null);
  const { id, dataset } = rows.find(({ verdict }) => verdict === 'broken')!;
  const { name } = datasets.find((one) => one.id === dataset)!;
  for (const [prefix, words, reason] of [
    ['', 'Broken link', '(404)'],
    ['/de', 'Defekter Link', 'Server kennt'],
    ['/fr', 'Lien rompu', 'Le serveur ne'],
    ['/ja', 'リンク切れ', '(404)'],
  ] as const) {
    const whole = (
      await world.request(`${prefix}/dataset/${name}/resource/${id}`, { headers: { accept: 'text/html' } })
    ).text;
    expect(whole).toContain(words);
    expect(whole).toContain(reason);
    expect(whole).not.toContain('/check"');
    expect((await world.request(`${prefix}/dataset/${name}`, { headers: { accept: 'text/html' } })).text).toContain(
      words,
    );
  }
  const found = (await world.request('/de/dataset?link_status=broken', { headers: { accept: 'text/html' } })).text;
  expect(found).toContain('Status der Links');
  expect(found).toContain('Defekt');
});

it('lets only editors request a check', async () => {
  const rows = await links(null);
  const mine = rows.find(({ owner }) => owner === organizations[0])!;
  const { name } = datasets.find((one) => one.id === mine.dataset)!;
  const path = `/dataset/${name}/resource/${mine.id}`;
  const { text } = await page(path);
  expect(text).toContain(`${path}/check`);
  const token = /name="_csrf_token" value="([^"]+)"/.exec(text)![1]!;
  const post = (target: string) =>
    world.request(`${target}/check`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      body: new URLSearchParams({ _csrf_token: token }),
    });
  for (const _ of [1, 2]) expect((await post(path)).status).toBe(303);
  expect((await page(path)).text).toContain('A check is requested');
  const { rows: due } = await world.database.pool.query(
    'SELECT l.next_at <= now() AND h.due_at <= now() AS due FROM resource_link l JOIN link_host h ON h.host = l.host WHERE resource_id = $1',
    [mine.id],
  );
  expect(due).toEqual([{ due: true }]);
  const other = rows.find(({ owner }) => owner === organizations[2])!;
  const away = `/dataset/${datasets.find((one) => one.id === other.dataset)!.name}/resource/${other.id}`;
  expect((await page(away)).text).not.toContain('/check"');
  expect((await post(away)).status).toBe(403);
  const check = `mutation ($id: ID!) { checkResourceLink(input: { resourceId: $id }) { link { url } errors { code } } }`;
  const { body } = await world.graph(`{ resource(databaseId: "${other.id}") { id } }`);
  for (const as of [null, outsider]) {
    const { body: refused } = await world.graph(check, { id: body.data.resource.id }, { as });
    expect(refused.data.checkResourceLink.errors[0].code).toBe('NOT_AUTHORIZED');
  }
});

it('keeps the search index correct while datasets and verdicts change concurrently', async () => {
  const { pool } = world.database;
  const some = datasets.slice(0, 6);
  const checker = await world.app.startChecker();
  let writes = 0;
  const write = async (one: (typeof datasets)[number], round: number) => {
    const id = one.resources[0]!;
    const url = round % 5 === 0 ? `https://example.org/${one.id}/${round}` : undefined;
    await world.result('resource_patch', { id, name: `round ${round}`, ...(url && { url }) }, { as: boss });
    writes += 1;
  };
  const flip = () =>
    pool.query(
      `UPDATE resource_link SET verdict = ($1::text[])[1 + floor(random() * 5)::int], since = now(), is_indexed = false
       WHERE resource_id IN (SELECT id FROM resource WHERE dataset_id = ANY ($2) ORDER BY id)`,
      [VERDICTS, some.map(({ id }) => id)],
    );
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([...some.map((one) => write(one, round)), flip(), pool.query('NOTIFY link_check')]);
  }
  await until(async () => {
    await pool.query('NOTIFY link_check');
    return (await pool.query('SELECT FROM resource_link WHERE NOT is_indexed')).rowCount === 0;
  });
  await checker.stop();
  expect(writes).toBe(120);
  for await (const { faults } of searchCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
});

it('counts links and makes them due, for sysadmins only', async () => {
  const call = world.app.callAs(world.system);
  const { verdicts } = await linkStatus(call);
  const all = datasets.flatMap(({ resources }) => resources).length - 1; // one became an ftp link
  expect(verdicts.reduce((sum, { count }) => sum + count, 0)).toBe(all);
  await world.database.pool.query("UPDATE resource_link SET host = 'example.org', next_at = now() + interval '1 day'");
  const [one] = datasets;
  expect(await linksDue(call, one!.name)).toBe(one!.resources.length);
  expect((await linkStatus(call)).due).toBe(one!.resources.length);
  expect(await linksDue(call, null)).toBe(all);
  for (const work of [linkStatus, (other: typeof call) => linksDue(other, null)])
    await expect(work({ ...call, actor: { ...call.actor, sysadmin: false } })).rejects.toMatchObject({
      kind: 'NOT_AUTHORIZED',
    });
});

it('schedules other links of a dataset with an impossible host name', async () => {
  const { pool } = world.database;
  const host = Array.from({ length: 600 }, () => Math.random().toString(36).slice(2, 12)).join('.');
  const made = await world.make.dataset({
    resources: [{ url: `http://${host}/x` }, { url: 'https://example.org/late.csv' }],
  });
  const checker = await world.app.startChecker();
  const ids = made.body.resources.map(({ id }) => id);
  const planned = () =>
    pool.query('SELECT host FROM resource_link WHERE resource_id = ANY ($1) AND next_at IS NOT NULL ORDER BY host', [
      ids,
    ]);
  await until(async () => (await planned()).rowCount === 2);
  await checker.stop();
  expect((await planned()).rows).toEqual([{ host: '' }, { host: 'example.org' }]);
});

it('records the links of many resources with one trigger call', async () => {
  const { pool } = world.database;
  const { id } = await world.make.dataset({ resources: [{ url: 'https://example.org/one.csv' }] });
  const { rows } = await pool.query(
    "SELECT string_agg(quote_ident(column_name), ', ') AS others FROM information_schema.columns WHERE table_name = 'resource' AND table_schema = current_schema() AND column_name NOT IN ('id', 'url', 'position') AND is_generated = 'NEVER'",
  );
  const plan = await pool.query(
    `EXPLAIN (ANALYZE, FORMAT JSON) INSERT INTO resource (id, url, position, ${rows[0].others})
     SELECT gen_random_uuid()::text, CASE n % 2 WHEN 0 THEN 'ftp' ELSE 'http' END || '://example.org/' || n, n + 10, ${rows[0].others}
     FROM resource, generate_series(1, 2000) n WHERE dataset_id = $1`,
    [id],
  );
  const trigger = plan.rows[0]['QUERY PLAN'][0].Triggers.find((it: object) => Object.values(it).includes('note_link'));
  expect(trigger.Calls).toBe(1);
  const found = await pool.query(
    'SELECT count(*)::int AS n FROM resource_link JOIN resource r ON r.id = resource_id WHERE dataset_id = $1',
    [id],
  );
  expect(found.rows).toEqual([{ n: 1_001 }]);
});
