/** catalog.resources.url_optional: a resource with a table or a file needs no URL. Without the setting, the URL is required. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

describe.each([true, false])('catalog.resources.url_optional: %s', (isOptional) => {
  let world: World;
  let as: TestUser;
  let dataset: string;
  beforeAll(async () => {
    world = await createWorld({ 'catalog.resources.url_optional': isOptional });
    await world.datastore();
    as = await world.make.sysadmin();
    dataset = (await world.make.dataset({})).id;
  });
  afterAll(() => world.end());

  const missing = { success: false, error: { url: ['Missing value'] } };
  const fits = (body: object) => (isOptional ? { success: true, result: body } : missing);
  const tableAddress = expect.stringMatching(/^http:\/\/catalog\.test\/datastore\/dump\//);

  it('applies to resources with a table, new and updated', async () => {
    const made = await world.action(
      'resource_create',
      { package_id: dataset, name: 'T', url_type: 'datastore' },
      { as },
    );
    expect(made.body).toMatchObject(fits({ url: tableAddress, url_type: 'datastore' }));
    const whole = { name: `whole-${isOptional}`, resources: [{ name: 'T', url: '', url_type: 'datastore' }] };
    const { body } = await world.action('package_create', whole, { as });
    if (!isOptional)
      return expect(body).toMatchObject({ success: false, error: { resources: [{ url: ['Missing value'] }] } });
    const [resource] = body.result.resources;
    await world.result('datastore_create', { resource_id: resource.id, records: [{ a: 1 }] }, { as });
    // A client that sends back a resource as read does not change its URL.
    const shown = await world.result('resource_show', { id: resource.id });
    const updated = await world.result('resource_update', { ...shown, name: 'Other' }, { as });
    expect(updated).toMatchObject({ name: 'Other', url: shown.url, url_type: 'datastore', datastore_active: true });
    const rows = await world.database.pool.query('SELECT url FROM resource WHERE id = $1', [resource.id]);
    expect(rows.rows).toEqual([{ url: '_datastore_only_resource' }]);
  });

  it('applies to uploads', async () => {
    const form = new FormData();
    form.set('package_id', dataset);
    form.set('upload', new Blob(['a\n1\n']), 'a.csv');
    const { body } = await world.request('/api/3/action/resource_create', {
      method: 'POST',
      body: form,
      headers: { authorization: as.key },
    });
    expect(body).toMatchObject(fits({ url: expect.stringMatching(/\/download\/a\.csv$/), url_type: 'upload' }));
  });

  it('never applies to links', async () => {
    for (const more of [{}, { url: '' }, { url: ' ', url_type: 'upload' }]) {
      const { body } = await world.action('resource_create', { package_id: dataset, name: 'L', ...more }, { as });
      expect(body).toMatchObject(missing);
    }
  });
});
