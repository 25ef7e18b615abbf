/** `size` and `mimetype` of resources, filled from their files: through every action that takes one, and on /graphql. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { createWorld, type World } from '../helpers/world.ts';

type Fields = Record<string, string>;
interface At {
  world: World;
  admin: TestUser;
  dataset: string;
}
const start = async (settings: Parameters<typeof createWorld>[0]): Promise<At> => {
  const world = await createWorld(settings);
  return { world, admin: await world.make.sysadmin(), dataset: (await world.make.dataset()).id };
};

/** Sends a form and returns the result of the response. */
async function send(
  { world, admin }: At,
  action: string,
  fields: Fields,
  file?: [string, Uint8Array<ArrayBuffer> | string],
  field = 'upload',
) {
  const body = new FormData();
  for (const [key, value] of Object.entries(fields)) body.append(key, value);
  if (file) body.append(field, new Blob([file[1]]), file[0]);
  const headers = { authorization: admin.key };
  const answered = await world.request(`/api/3/action/${action}`, { method: 'POST', body, headers });
  if (!answered.body.success) throw new Error(`${action} ${JSON.stringify(fields)}\nanswered ${answered.text}`);
  return answered.body.result;
}

/** Announces a file on /graphql, sends it, and uses it. */
async function announced({ world, admin, dataset }: At, name: string, bytes: Uint8Array<ArrayBuffer>) {
  const begun = await world.graph(
    'mutation ($size: Long!) { beginUpload(input: { size: $size }) { upload { token url headers { name value } } } }',
    { size: bytes.length },
    { as: admin },
  );
  const { token, url, headers } = begun.body.data.beginUpload.upload;
  const all = Object.fromEntries(headers.map(({ name, value }: Fields) => [name, value]));
  await world.request(new URL(url).pathname, { method: 'PUT', headers: all, body: bytes });
  const made = await world.graph(
    'mutation ($input: CreateResourceInput!) { createResource(input: $input) { resource { size mimetype } errors { message } } }',
    { input: { dataset, resource: { name: 'N' }, upload: { token, name } } },
    { as: admin },
  );
  return made.body.data.createResource.resource;
}

onEachStore((open) => {
  let store: TestStore;
  let at: At;
  beforeAll(async () => {
    store = await open();
    at = await start({ ...store.settings, 'catalog.action_api.level': '2.11' });
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await at?.world.end();
    await store?.stop();
  });
  const create = (name: string, content: Uint8Array<ArrayBuffer> | string, fields: Fields = {}) =>
    send(at, 'resource_create', { package_id: at.dataset, name: 'N', ...fields }, [name, content]);

  it.each([
    ['Data File.CSV', 'text/csv'],
    ['a.geojson', 'application/geo+json'],
    ['a.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['page.html', 'text/html'],
    ['map.svg', 'image/svg+xml'],
    ['odd.qqq', null],
    ['none', null],
  ])('%s has the type %s, and the size of its bytes', async (name, mimetype) => {
    const bytes = randomBytes(12_345);
    const made = await create(name, bytes);
    expect(made).toMatchObject({ size: 12_345, mimetype });
    expect(await at.world.result('resource_show', { id: made.id })).toMatchObject({ size: 12_345, mimetype });
  });

  it('a mimetype in the request wins, the size is always that of the file', async () => {
    expect(await create('a.csv', 'äb', { mimetype: 'text/x-own', size: '99' })).toMatchObject({
      size: 3,
      mimetype: 'text/x-own',
    });
    expect(await create('a.csv', '', { mimetype: '' })).toMatchObject({ size: 0, mimetype: 'text/csv' });
  });

  it('update, patch and revise set both from a new file, and preserve them without one', async () => {
    const { id } = await create('a.csv', 'a\n');
    expect(await send(at, 'resource_update', { id, url: 'x' }, ['b.json', '{}'])).toMatchObject({
      size: 2,
      mimetype: 'application/json',
    });
    expect(await send(at, 'resource_patch', { id, description: 'D' })).toMatchObject({
      size: 2,
      mimetype: 'application/json',
    });
    expect(await send(at, 'resource_patch', { id }, ['c.qqq', '12345'])).toMatchObject({ size: 5, mimetype: null });
    const { resources } = (
      await send(at, 'package_revise', { match__id: at.dataset }, ['d.pdf', '%PDF'], `update__resources__${id}__upload`)
    ).package;
    expect(resources.find((resource: { id: string }) => resource.id === id)).toMatchObject({
      size: 4,
      mimetype: 'application/pdf',
    });
    expect(await send(at, 'resource_patch', { id, size: '7', mimetype: 'text/x-own' })).toMatchObject({
      size: 7,
      mimetype: 'text/x-own',
    });
  });

  it('an upload on /graphql sets both, too', async () => {
    expect(await announced(at, 'rivers.tsv', randomBytes(1_000))).toEqual({
      size: 1_000,
      mimetype: 'text/tab-separated-values',
    });
  });
});

describe('at level 2.4', () => {
  let at: At;
  beforeAll(async () => {
    at = await start({});
  });
  afterAll(() => at.world.end());

  it('resource_create, resource_update and resource_patch leave both null, /graphql and package_revise fill them', async () => {
    const made = await send(at, 'resource_create', { package_id: at.dataset, url: '' }, ['a.csv', 'a\n']);
    expect(made).toMatchObject({ size: null, mimetype: null });
    const { id } = made;
    expect(await send(at, 'resource_update', { id, url: 'x' }, ['b.csv', 'b'])).toMatchObject({
      size: null,
      mimetype: null,
    });
    expect(await send(at, 'resource_patch', { id }, ['b.csv', 'b'])).toMatchObject({ size: null, mimetype: null });
    expect(await announced(at, 'a.csv', randomBytes(10))).toEqual({ size: 10, mimetype: 'text/csv' });
    const field = `update__resources__${id}__upload`;
    const { resources } = (await send(at, 'package_revise', { match__id: at.dataset }, ['d.pdf', '%PDF'], field))
      .package;
    expect(resources[0]).toMatchObject({ size: 4, mimetype: 'application/pdf' });
  });

  it('catalog.action_api.file_fields alone fills both', async () => {
    const one = await start({ 'catalog.action_api.file_fields': 'fill' });
    try {
      const fields = { package_id: one.dataset, url: '' };
      expect(await send(one, 'resource_create', fields, ['a.csv', 'a\n'])).toMatchObject({
        size: 2,
        mimetype: 'text/csv',
      });
    } finally {
      await one.world.end();
    }
  });
});
