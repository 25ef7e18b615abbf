import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({
    'catalog.site_title': 'Waters',
    'catalog.site_description': 'All of them',
    'catalog.locale_default': 'fr',
    'catalog.error_emails_to': 'errors@example.com',
    'catalog.plugins': ['datastore', 'text_view'],
  });
});
afterAll(() => world.end());

const asGet = { get: true } as const;
const STATUS = {
  site_title: 'Waters',
  site_description: 'All of them',
  site_url: 'http://catalog.test',
  ckan_version: '2.4.9',
  catalog_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  error_emails_to: 'errors@example.com',
  locale_default: 'fr',
  extensions: ['datastore', 'text_view'],
};

it('site_read returns true to anonymous callers', async () => {
  const { body } = await world.action('site_read', {}, asGet);
  expect(body).toEqual({
    help: expect.stringContaining('http://catalog.test/api/3/action/help_show?name=site_read'),
    success: true,
    result: true,
  });
});

describe('status_show', () => {
  it('shows the settings', async () => expect(await world.result('status_show', {}, asGet)).toEqual(STATUS));

  it.each(['/api/util/status', '/api/2/util/status'])('is also served at %s, without envelope', async (path) => {
    const { status, headers, body } = await world.request(path);
    expect([status, body]).toEqual([200, STATUS]);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const wrapped = await world.request(`${path}?callback=show`);
    expect(wrapped.text).toMatch(/^\/\*\*\/show\(\{.*\}\);$/);
    expect((await world.request(`${path}?callback=a(b`)).text).toMatch(/^"Bad request/);
  });

  it('is not part of version 3', async () => expect((await world.request('/api/3/util/status')).status).toBe(404));
});

describe('license_list', () => {
  it('lists the licenses with the fields that clients expect', async () => {
    const licenses = await world.result('license_list', {}, asGet);
    expect(licenses).toHaveLength(15);
    expect(licenses.find((license: { id: string }) => license.id === 'odc-by')).toEqual({
      id: 'odc-by',
      title: 'Open Data Commons Attribution License',
      url: 'http://www.opendefinition.org/licenses/odc-by',
      status: 'active',
      family: '',
      maintainer: '',
      is_okd_compliant: true,
      is_osi_compliant: false,
      od_conformance: 'approved',
      osd_conformance: 'not reviewed',
      is_generic: 'False',
      domain_content: 'False',
      domain_data: 'True',
      domain_software: 'False',
    });
    expect(licenses[0]).toMatchObject({
      id: 'notspecified',
      url: '',
      is_okd_compliant: false,
      od_conformance: 'not reviewed',
      is_generic: 'True',
    });
  });
});

describe('help_show', () => {
  it('generates the help from the definition of the action', async () => {
    const help = await world.result('help_show', { name: 'tag_search' }, asGet);
    expect(help).toMatch(/^tag_search: Finds tags/);
    expect(help).toContain('  limit (int, optional): ');
    expect(help).toContain('  fields (dictionary, optional, deprecated): ');
    expect(await world.result('help_show', { name: 'tag_list' })).toContain(
      '  all_fields (bool, optional, default false): ',
    );
    expect(await world.result('help_show', { name: 'tag_create' })).toContain(
      'POST http://catalog.test/api/3/action/tag_create {"name": "<name>", "vocabulary_id": "<vocabulary_id>"}',
    );
  });

  it('describes itself, and accepts dataset_ names', async () => {
    expect(await world.result('help_show', { name: 'help_show' })).toContain(
      'GET http://catalog.test/api/3/action/help_show?name=<name>',
    );
    expect(await world.result('help_show', { name: 'dataset_show' })).toMatch(/^dataset_show: /);
  });

  it.each(['nope', 'toString', '__proto__', ['tag_list', 'tag_show']])('finds no action %p', async (name) => {
    expect((await world.action('help_show', { name })).body.error).toMatchObject({
      __type: 'Not Found Error',
      message: expect.stringMatching(/^Not found/),
    });
  });

  it('requires a name', async () => {
    expect((await world.action('help_show', {}, asGet)).body.error).toMatchObject({
      __type: 'Validation Error',
      name: ['Missing value'],
    });
  });
});
