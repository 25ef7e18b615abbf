/** Pages of resources while the DataStore is down: their remaining content, status and caching headers. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
const paths: Record<'table' | 'link' | 'text', string> = { table: '', link: '', text: '' };
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  const as = await world.make.sysadmin();
  await world.result('organization_create', { name: 'town', title: 'Town' }, { as });
  const { resources } = await world.result(
    'package_create',
    {
      name: 'rivers',
      title: 'Levels of rivers',
      owner_org: 'town',
      license_id: 'cc-by',
      resources: [
        { url: 'http://town.example/levels.csv', name: 'Levels', format: 'CSV', description: 'One row a month.' },
        { url: 'http://town.example/about.html', name: 'About', format: 'HTML' },
        { url: 'http://town.example/read.txt', name: 'Read', format: 'TXT' },
      ],
    },
    { as },
  );
  for (const [index, name] of (['table', 'link', 'text'] as const).entries())
    paths[name] = `/dataset/rivers/resource/${resources[index].id}`;
  const records = [{ station: 'Kew', level: 1 }];
  await world.result('datastore_create', { resource_id: resources[0].id, force: true, records }, { as });
  expect((await get(paths.table)).text).toContain('Kew');
  await world.withoutDatastore();
});
afterAll(() => world.end());

const get = (path: string) => world.request(path, { redirect: 'manual', headers: { accept: 'text/html' } });

describe('while the DataStore is down', () => {
  it.each([
    ['', 'The table of this resource cannot be read at the moment. Try again in a few minutes.'],
    ['/de', 'Die Tabelle dieser Ressource kann im Moment nicht gelesen werden.'],
  ])('the page %s/dataset/… of a resource with a table shows the rest, and says to try again', async (prefix, said) => {
    const { status, text, headers } = await get(prefix + paths.table);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('10');
    expect(headers.get('cache-control')).toMatch(/no-store/);
    expect(text).toContain('<header');
    expect(text).toContain('rel="stylesheet"');
    expect(text).toContain(said);
    for (const shown of ['One row a month.', 'http://town.example/levels.csv', 'Town', 'Creative Commons'])
      expect(text).toContain(shown);
    expect(text).not.toMatch(/DataStore|ECONN|does not exist|postgres/i);
  });

  it.each(['link', 'text'] as const)('the page of a resource without a table (%s) is unaffected', async (name) => {
    const { status, text } = await get(paths[name]);
    expect(status).toBe(200);
    expect(text).not.toContain('cannot be read at the moment');
  });

  it.each(['/embed', '/places', '/record/1', '?as=chart', '?as=sql', '?q=Kew&sort=level'])(
    '%s answers 503 with Retry-After',
    async (end) => {
      const { status, headers } = await get(paths.table + end);
      expect([status, headers.get('retry-after')]).toEqual([503, '10']);
      expect(headers.get('cache-control')).toMatch(/no-store/);
    },
  );

  it.each(['/', '/dataset', '/dataset/rivers', '/organization/town', '/stats'])('%s is unaffected', async (path) =>
    expect((await get(path)).status).toBe(200),
  );
});
