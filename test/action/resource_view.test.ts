/** The nine actions on resource views: permissions, error messages, and default views. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let member: TestUser;
let other: TestUser;
let organization: string;
/** A public and a private dataset, each with a PDF resource, which has no default view. */
let open: { id: string; resource: string };
let secret: { id: string; resource: string };

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  [editor, member, other] = [await world.make.user(), await world.make.user(), await world.make.user()];
  organization = (await world.make.organization({ members: { [editor.id]: 'editor', [member.id]: 'member' } })).id;
});
afterAll(() => world.end());
beforeEach(async () => {
  open = await dataset(['pdf']);
  secret = await dataset(['pdf'], true);
});

async function dataset(formats: string[], isPrivate = false) {
  const { id, body } = await world.make.dataset({
    ownerOrganization: organization,
    private: isPrivate,
    resources: formats.map((format) => ({ url: `http://x/${format}`, format })),
  });
  return { id, resource: body.resources[0]!.id, resources: body.resources.map((resource) => resource.id) };
}

const create = (more: object = {}, as: TestUser = editor) =>
  world.result(
    'resource_view_create',
    { resource_id: open.resource, title: 'T', view_type: 'image_view', ...more },
    { as },
  );
const refusal = async (name: string, params: object, as: TestUser | null = editor) => {
  const { body } = await world.action(name, params as Record<string, unknown>, { as });
  expect(body.success).toBe(false);
  return body.error;
};
const listed = (id: string, as: TestUser | null = null) =>
  world.result('resource_view_list', { id }, { as, get: true });

describe('resource_view_create', () => {
  it('stores config unchanged, with any keys and values', async () => {
    for (const config of [
      { $type: 'DateTime', value: 'x', list: [null, { $type: 'BigInt', value: '5' }] },
      { nested: { set: [1], $type: 'Raw' }, toJSON: 1, d: [1], e: 0, s: 1, null: null, deep: { increment: 1 } },
      [null, 1.5e300, '', 'é', true, []],
      'text',
      0,
      false,
    ]) {
      const view = await create({ config: JSON.stringify(config) });
      expect(JSON.parse(view.config)).toEqual(config);
      const changed = { id: view.id, title: 'T', config: JSON.stringify([config]) };
      expect(JSON.parse((await world.result('resource_view_update', changed, { as: editor })).config)).toEqual([
        config,
      ]);
    }
  });

  it('adds a view with the fields of its type', async () => {
    expect(await create({ image_url: 'http://i/1.png', config: '{"zoom": 3}' })).toEqual({
      id: expect.any(String),
      resource_id: open.resource,
      package_id: open.id,
      title: 'T',
      description: null,
      view_type: 'image_view',
      image_url: 'http://i/1.png',
      config: '{"zoom":3}',
    });
  });

  it.each([
    [{ resource_id: undefined }, { resource_id: ['Missing value'] }],
    [{ resource_id: 'nope' }, { resource_id: ['Not found: Resource'] }],
    [{ view_type: undefined }, { view_type: ['Missing value'] }],
    [{ view_type: 'bogus' }, { view_type: ['No plugin found for view_type bogus'] }],
    [{ title: '' }, { title: ['Missing value'] }],
    [{ id: 'mine' }, { __extras: ['The input field __extras was not expected.'] }],
    [{ colour: 'red' }, { colour: ['The input field colour was not expected.'] }],
    [{ image_url: 'javascript:x' }, { image_url: ['Must be an http or https URL, or a URL on this site'] }],
    [{ config: '{' }, { config: ['Must be JSON'] }],
  ])('refuses %j', async (more, expected) => {
    expect(
      await refusal('resource_view_create', {
        resource_id: open.resource,
        title: 'T',
        view_type: 'image_view',
        ...more,
      }),
    ).toEqual({ ...expected, __type: 'Validation Error', message: expect.any(String) });
    expect(await listed(open.resource)).toEqual([]);
  });

  it.each(['member', 'other', 'nobody'])('refuses the caller: %s', async (who) => {
    const as = { member, other, nobody: null }[who]!;
    const error = await refusal(
      'resource_view_create',
      { resource_id: open.resource, title: 'T', view_type: 'image_view' },
      as,
    );
    expect(error.__type).toBe('Authorization Error');
  });

  it('enforces catalog.limits.views', async () => {
    const few = await createWorld({ 'catalog.limits.views': 2 });
    try {
      const as = await few.make.sysadmin();
      const { body } = await few.make.dataset({ resources: [{ url: 'http://x/a' }] });
      const view = { resource_id: body.resources[0]!.id, title: 'T', view_type: 'text_view' };
      for (let time = 0; time < 2; time++) await few.result('resource_view_create', view, { as });
      const answered = await few.action('resource_view_create', view, { as });
      expect(answered.body.error.message).toBe('resource_id: At most 2 views on one resource (catalog.limits.views)');
    } finally {
      await few.end();
    }
  });
});

describe('resource_view_show and resource_view_list', () => {
  it('are allowed for users who may read the dataset', async () => {
    const hidden = await create({ resource_id: secret.resource });
    for (const as of [editor, member, admin]) {
      expect(await world.result('resource_view_show', { id: hidden.id }, { as, get: true })).toEqual(hidden);
      expect(await listed(secret.resource, as)).toEqual([hidden]);
    }
    for (const as of [other, null]) {
      expect((await refusal('resource_view_show', { id: hidden.id }, as)).__type).toBe('Authorization Error');
      expect((await refusal('resource_view_list', { id: secret.resource }, as)).__type).toBe('Authorization Error');
    }
  });

  it('return an empty list, and refuse unknown and missing ids', async () => {
    expect(await listed(open.resource)).toEqual([]);
    for (const name of ['resource_view_show', 'resource_view_list']) {
      expect((await refusal(name, { id: 'nope' })).__type).toBe('Not Found Error');
      expect(await refusal(name, {})).toMatchObject({ id: ['Missing value'] });
    }
  });

  it('return the version as an ETag', async () => {
    const { id } = await create();
    const shown = await world.action('resource_view_show', { id }, { get: true });
    expect(shown.headers.get('etag')).toMatch(/^"1-/);
  });
});

describe('resource_view_update', () => {
  it('keeps title and description, removes other omitted fields and ignores view_type', async () => {
    const view = await create({ description: 'D', image_url: 'http://i/1.png', config: { a: 1 } });
    const { image_url, config, ...rest } = view;
    expect(await world.result('resource_view_update', { id: view.id, view_type: 'text_view' }, { as: editor })).toEqual(
      rest,
    );
    expect(await world.result('resource_view_update', { ...view, title: 'New' }, { as: editor })).toEqual({
      ...rest,
      title: 'New',
      image_url,
      config,
    });
  });

  it('moves a view to a resource that the caller may change too', async () => {
    const view = await create();
    const target = await dataset(['pdf']);
    const foreign = (
      await world.make.dataset({
        resources: [{ url: 'http://x/y' }],
        private: false,
        ownerOrganization: (await world.make.organization()).id,
      })
    ).body.resources[0]!.id;
    const there = await create({ resource_id: target.resource });
    expect(
      await world.result('resource_view_update', { id: view.id, resource_id: target.resource }, { as: editor }),
    ).toEqual({ ...view, resource_id: target.resource, package_id: target.id });
    expect((await listed(target.resource)).map(({ id }: { id: string }) => id)).toEqual([there.id, view.id]);
    expect((await refusal('resource_view_update', { id: view.id, resource_id: foreign })).__type).toBe(
      'Authorization Error',
    );
    expect(await refusal('resource_view_update', { id: view.id, resource_id: 'nope' })).toMatchObject({
      resource_id: ['Not found: Resource'],
    });
  });

  it('refuses unauthorized callers, unknown views, unknown fields and outdated versions', async () => {
    const { id } = await create();
    expect((await refusal('resource_view_update', { id, title: 'x' }, member)).__type).toBe('Authorization Error');
    expect((await refusal('resource_view_update', { id, title: 'x' }, null)).__type).toBe('Authorization Error');
    expect((await refusal('resource_view_update', { id: 'nope' })).__type).toBe('Not Found Error');
    expect(await refusal('resource_view_update', {})).toMatchObject({ id: ['Missing value'] });
    expect(await refusal('resource_view_update', { id, colour: 1 })).toMatchObject({ colour: [expect.any(String)] });
    const old = await world.action('resource_view_update', { id }, { as: editor, headers: { 'if-match': '"9"' } });
    expect(old.body.error.message).toContain('version 1');
  });
});

describe('resource_view_delete', () => {
  it('deletes a view, which is not found afterwards', async () => {
    const { id } = await create();
    expect((await refusal('resource_view_delete', { id }, other)).__type).toBe('Authorization Error');
    expect(await world.result('resource_view_delete', { id }, { as: editor })).toBeNull();
    expect((await refusal('resource_view_delete', { id })).__type).toBe('Not Found Error');
    expect(await refusal('resource_view_delete', {})).toMatchObject({ id: ['Missing value'] });
  });

  it('views are deleted with their resource and with their purged dataset', async () => {
    const { id } = await create();
    const { id: second } = await create({ resource_id: secret.resource });
    await world.result('resource_delete', { id: open.resource }, { as: editor });
    expect((await refusal('resource_view_show', { id })).__type).toBe('Not Found Error');
    await world.result('package_delete', { id: secret.id }, { as: editor });
    expect((await refusal('resource_view_show', { id: second }, null)).__type).toBe('Authorization Error');
    await world.result('dataset_purge', { id: secret.id }, { as: admin });
    expect((await refusal('resource_view_show', { id: second }, admin)).__type).toBe('Not Found Error');
  });
});

describe('resource_view_reorder', () => {
  it('moves the given views to the front', async () => {
    const ids = [];
    for (const title of ['a', 'b', 'c']) ids.push((await create({ title })).id);
    const [a, b, c] = ids;
    expect(await world.result('resource_view_reorder', { id: open.resource, order: [c] }, { as: editor })).toEqual({
      id: open.resource,
      order: [c, a, b],
    });
    expect((await listed(open.resource)).map(({ title }: { title: string }) => title)).toEqual(['c', 'a', 'b']);
    expect(await refusal('resource_view_reorder', { id: open.resource, order: [a, a] })).toMatchObject({
      order: ['No duplicates allowed in order'],
    });
    expect(await refusal('resource_view_reorder', { id: open.resource, order: ['x'] })).toMatchObject({
      order: [expect.stringContaining('x')],
    });
    expect(await refusal('resource_view_reorder', { id: open.resource })).toMatchObject({ order: ['Missing value'] });
    expect((await refusal('resource_view_reorder', { id: open.resource, order: [a] }, other)).__type).toBe(
      'Authorization Error',
    );
    expect((await refusal('resource_view_reorder', { id: 'nope', order: [a] })).__type).toBe('Not Found Error');
  });
});

describe('resource_view_clear', () => {
  it('deletes views of given types, or all, on the whole site', async () => {
    const image = await create();
    await create({ view_type: 'text_view' });
    expect((await refusal('resource_view_clear', {}, editor)).__type).toBe('Authorization Error');
    expect((await refusal('resource_view_clear', {}, null)).__type).toBe('Authorization Error');
    expect(await world.result('resource_view_clear', { view_types: ['text_view', 'bogus'] }, { as: admin })).toBeNull();
    expect(await listed(open.resource)).toEqual([image]);
    await world.result('resource_view_clear', {}, { as: admin });
    expect(await listed(open.resource)).toEqual([]);
  });
});

describe('default views', () => {
  const types = async (id: string) => (await listed(id)).map((view: { view_type: string }) => view.view_type);

  it('are created for new resources, and for resources that get a format with a default view', async () => {
    const made = await dataset(['csv', 'png', 'json', 'pdf']);
    expect(await Promise.all(made.resources.map(types))).toEqual([['recline_view'], ['image_view'], ['text_view'], []]);
    const [csv, , , pdf] = made.resources;
    await world.result('resource_view_clear', {}, { as: admin });
    await world.result('resource_patch', { id: csv, description: 'new' }, { as: editor });
    expect(await types(csv!)).toEqual([]); // deleted views are not created again
    await world.result('resource_patch', { id: pdf, format: 'TSV' }, { as: editor });
    expect(await types(pdf!)).toEqual(['recline_view']);
    const { id } = await world.result(
      'resource_create',
      { package_id: made.id, url: 'http://x/new.csv', format: 'csv' },
      { as: editor },
    );
    expect(await listed(id)).toMatchObject([{ title: 'Data Explorer', description: '' }]);
  });

  it('resource_create_default_resource_views creates missing views', async () => {
    const { id, resources } = await dataset(['csv']);
    const resource = { id: resources[0] };
    await world.result('resource_view_clear', {}, { as: admin });
    const name = 'resource_create_default_resource_views';
    expect(await world.result(name, { resource }, { as: editor })).toMatchObject([{ view_type: 'recline_view' }]);
    expect(await world.result(name, { resource, package: { id } }, { as: editor })).toEqual([]);
    expect(await world.result(name, { resource, create_datastore_views: true }, { as: editor })).toEqual([]);
    expect((await refusal(name, { resource: { ...resource, package_id: 'nope' } })).__type).toBe('Not Found Error');
    expect((await refusal(name, { resource: { id: 'nope' } })).__type).toBe('Not Found Error');
    expect(await refusal(name, { resource: { ...resource, package_id: open.id } })).toMatchObject({
      __type: 'Validation Error',
    });
    expect(await refusal(name, { resource: 'x' })).toMatchObject({ resource: ['Must be a dictionary'] });
    expect(await refusal(name, {})).toMatchObject({ resource: ['Missing value'] });
    expect((await refusal(name, { resource }, other)).__type).toBe('Authorization Error');
    expect((await refusal(name, { resource }, null)).__type).toBe('Authorization Error');
  });

  it('package_create_default_resource_views creates missing views of a dataset', async () => {
    const { id, resources } = await dataset(['csv', 'png']);
    await world.result('resource_view_clear', {}, { as: admin });
    const name = 'package_create_default_resource_views';
    const only = { id, resources: [{ id: resources[1] }] };
    expect(await world.result(name, { package: only }, { as: editor })).toMatchObject([{ view_type: 'image_view' }]);
    expect(await world.result(name, { package: { id } }, { as: editor })).toMatchObject([
      { view_type: 'recline_view' },
    ]);
    expect(await world.result(name, { package: { id: open.id, resources: [] } }, { as: editor })).toEqual([]);
    expect(await refusal(name, { package: {} })).toEqual({
      __type: 'Validation Error',
      message: 'Missing id, can not get Package object',
    });
    expect((await refusal(name, { package: { id: 'nope' } })).__type).toBe('Not Found Error');
    expect((await refusal(name, { package: { id } }, other)).__type).toBe('Authorization Error');
  });
});
