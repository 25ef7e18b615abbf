/**
 * Dashboards reveal nothing about hidden objects, in any format and with any filter. A visitor and a member of another organization get
 * byte-identical files before and after hidden objects are created. Names of hidden organizations get the same answer as unknown names.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CHARTS, DASHBOARDS } from '../../facades/web/site/dashboards/charts.ts';
import { USE } from '../../src/kernel/usage.ts';
import { keepUp } from '../../src/usage/fold.service.ts';
import { addBatch } from '../../src/usage/fold.sql.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SECRET = 'hushhush';
/** An unknown name, as long as those of hidden objects. */
const unknown = (name: string) => `z${name.slice(1)}`;
const today = new Date().toISOString().slice(0, 10);
const FILTERS = [
  '',
  'interval=day',
  'interval=week',
  'interval=year&from=2020-01-01',
  `from=${today}&to=${today}&interval=day`,
  'organization=office',
  `organization=office&interval=day&from=${today}`,
  'organization=shop',
];
const IDS = Object.keys(DASHBOARDS);

let world: World;
let readers: [string, TestUser | null][];
let admin: TestUser;
let owner: TestUser;
let before: Map<string, string>;

const get = (path: string, as: TestUser | null) =>
  world.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...(as && { authorization: as.key }) } });

const sql = (text: string, values: unknown[] = []) => world.database.pool.query(text, values);

/** Addresses of all files with all filters. */
const files = FILTERS.flatMap((filter) =>
  CHARTS.flatMap(({ dashboard, id }) =>
    ['csv', 'svg'].map((format) => `/dashboards/${dashboard}/${id}.${format}${filter && `?${filter}`}`),
  ),
);

/** Answers by reader and address. Pictures contain the time at which they were drawn. */
async function answers(): Promise<Map<string, string>> {
  while ((await world.app.score()) > 0);
  const found = new Map<string, string>();
  for (const [name, as] of readers)
    for (const path of files) {
      const { status, text } = await get(path, as);
      found.set(`${name} ${path}`, `${status} ${path.includes('.csv') && status === 200 ? text : withoutTime(text)}`);
    }
  return found;
}
/** Pages of users have a token for their forms. */
const withoutTime = (text: string) =>
  text.replace(/\d{1,2}:\d{2}(:\d{2})?/g, 'time').replace(/(<input type="hidden"[^>]*? value=")[^"]*/g, '$1');

beforeAll(async () => {
  world = await createWorld();
  const { make, result } = world;
  admin = await make.sysadmin();
  owner = await make.user({ name: 'owner' });
  const stranger = await make.user({ name: 'stranger' });
  await make.organization({ name: 'office', title: 'Office', members: { [owner.id]: 'admin' } });
  await make.organization({ name: 'shop', title: 'Shop', members: { [stranger.id]: 'admin' } });
  await make.organization({ name: 'vault', title: 'Vault', members: { [owner.id]: 'admin' } });
  await make.group({ name: 'water', members: { [owner.id]: 'admin' } });
  for (const name of ['office', 'shop'])
    for (let n = 0; n < 3; n += 1)
      await result(
        'package_create',
        {
          name: `${name}-${n}`,
          title: `Open ${n}`,
          owner_org: name,
          groups: [{ name: 'water' }],
          license_id: 'cc-by',
          tags: [{ name: 'air' }],
          resources: [{ url: `https://example.org/${name}/${n}.csv`, format: 'CSV', name: 'Open file' }],
        },
        { as: admin },
      );
  await use(await idsOf('%'));
  await breakLinks();
  readers = [
    ['visitor', null],
    ['member of another organization', stranger],
  ];
  before = await answers();
  await hide();
}, 300_000);
afterAll(() => world.end());

const idsOf = async (name: string): Promise<string[]> =>
  (await sql('SELECT id FROM dataset WHERE name LIKE $1 ORDER BY name', [name])).rows.map(({ id }) => id);

async function use(ids: readonly string[]): Promise<void> {
  await addBatch(world.database.sql, {
    id: `used ${ids.join(' ').slice(0, 200)}`,
    day: today,
    objects: ids.flatMap((id) => [`d${id}`, `d${id}`, `d${id}`]),
    kinds: ids.flatMap(() => [USE.view, USE.download, USE.read]),
    counts: ids.flatMap((_id, n) => [5 + n, 3, 2]),
  });
  await keepUp(world.app.callAs(world.system));
}

const breakLinks = () =>
  sql(
    `UPDATE resource_link SET verdict = 'broken', reason = 'not_found', http_status = 404, since = '2026-01-01', checked_at = '2026-01-02' WHERE verdict IS NULL`,
  );

/** Private, draft and deleted datasets, an organization with nothing else, and a deleted organization. */
async function hide(): Promise<void> {
  const { result } = world;
  const gone = await result('organization_create', { name: `${SECRET}-gone`, title: SECRET }, { as: admin });
  const parts = (name: string, owner_org: string) => ({
    name: `${SECRET}-${name}`,
    title: `${SECRET} ${name}`,
    notes: SECRET,
    owner_org,
    private: true,
    license_id: SECRET,
    groups: [{ name: 'water' }],
    tags: [{ name: SECRET }],
    resources: [{ url: `https://${SECRET}.example/${name}`, format: SECRET, name: SECRET, size: 12_345 }],
  });
  for (const [name, of] of [
    ['one', 'office'],
    ['two', 'office'],
    ['only', 'vault'],
    ['lost', gone.id],
  ] as const)
    await result('package_create', parts(name, of), { as: admin });
  await result('package_create', { ...parts('draft', 'office'), private: false, state: 'draft' }, { as: admin });
  await result('package_create', parts('deleted', 'office'), { as: admin });
  await result('package_delete', { id: `${SECRET}-deleted` }, { as: admin });
  await result('package_patch', { id: `${SECRET}-two`, notes: `${SECRET} again` }, { as: admin });
  await use(await idsOf(`${SECRET}-%`));
  await breakLinks();
  await result('organization_delete', { id: gone.id }, { as: admin });
}

it('files are the same, byte by byte', async () => {
  const after = await answers();
  for (const [address, answer] of before) expect([address, after.get(address)]).toEqual([address, answer]);
  const isFile = [...before.values()].filter((answer) => answer.startsWith('200 ')).length;
  expect(isFile).toBeGreaterThan(200);
}, 300_000);

it('a system administrator and a member see hidden objects in them', async () => {
  for (const as of [admin, owner])
    for (const [file, text] of [
      ['catalog/formats.csv', SECRET],
      ['catalog/organizations.csv', 'vault'],
      ['quality/organizations.csv', 'vault'],
      ['quality/broken-links.csv', SECRET],
      ['usage/top.csv', SECRET],
    ] as const)
      expect([file, (await get(`/dashboards/${file}`, as)).text.includes(text)]).toEqual([file, true]);
});

it('pages do not contain their names', async () => {
  for (const [name, as] of readers)
    for (const id of IDS)
      for (const filter of FILTERS) {
        const path = `/dashboards/${id}${filter && `?${filter}`}`;
        const { text } = await get(path, as);
        expect([name, path, text.includes(SECRET)]).toEqual([name, path, false]);
        const charts = /<section id="charts".*<\/section>/s.exec(text)?.[0] ?? '';
        expect([name, path, /vault/i.test(charts)]).toEqual([name, path, false]);
      }
}, 300_000);

it('hidden names in filters get the same answer as unknown ones', async () => {
  const names = [`${SECRET}-gone`, `${SECRET}-one`, `${SECRET} gone`, SECRET, `${SECRET}-only`];
  const forms = ['', ...CHARTS.map(({ dashboard, id }) => ({ dashboard, id }))];
  for (const [reader, as] of readers)
    for (const id of IDS)
      for (const name of names)
        for (const form of forms) {
          if (typeof form !== 'string' && form.dashboard !== id) continue;
          for (const format of typeof form === 'string' ? [''] : ['.csv', '.svg']) {
            const path = `/dashboards/${id}${typeof form === 'string' ? '' : `/${form.id}${format}`}`;
            const answer = async (organization: string) => {
              const found = await get(`${path}?organization=${encodeURIComponent(organization)}`, as);
              const forms = [organization, encodeURIComponent(organization), organization.replaceAll(' ', '+')];
              return [found.status, withoutTime(forms.reduce((text, it) => text.replaceAll(it, 'NAME'), found.text))];
            };
            const [hidden, none] = [await answer(name), await answer(unknown(name))];
            expect([reader, path, name, ...hidden]).toEqual([reader, path, name, ...none]);
          }
        }
}, 300_000);

it('charts that need an organization refuse an unknown one', async () => {
  for (const id of ['quality', 'usage']) {
    const { status, text } = await get(`/dashboards/${id}?organization=nobody`, null);
    expect([id, status, text.includes('There is no such organization.')]).toEqual([id, 422, true]);
    const file = await get(`/dashboards/${id}/${id === 'quality' ? 'score' : 'uses'}.csv?organization=nobody`, null);
    expect([id, file.status]).toEqual([id, 422]);
  }
});

it('responses to members are not stored by shared caches', async () => {
  for (const path of ['/dashboards/catalog', '/dashboards/quality/score.csv', '/dashboards/usage/top.svg']) {
    const { headers } = await get(path, owner);
    expect([path, headers.get('cache-control')]).toEqual([path, 'private, no-store']);
    const visitor = await get(path, null);
    expect(visitor.headers.get('vary')).toMatch(/cookie/i);
    expect(visitor.text).not.toContain(SECRET);
  }
});
