/** Access to tables of the DataStore, and responses while its database is down. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let member: TestUser;
let stranger: TestUser;
let organization: Tables['organization'];
let table: Tables['table'];
let write: Tables['write'];
let search: Tables['search'];

beforeAll(async () => {
  ({ world, editor, member, stranger, organization, table, write, search } = await createTables());
});
afterAll(() => world.end());

const BOOKS = ['War and Peace', 'The Trial', 'Emma'].map((title) => ({ title }));

const books = (isPrivate = false, more: object = {}) => table({ records: BOOKS, ...more }, isPrivate);

describe('read access', () => {
  it('follows the dataset, by id, by alias and in the listing', async () => {
    const alias = `hidden-${world.id()}`;
    const id = await books(true, { aliases: alias });
    for (const resource_id of [id, alias]) {
      for (const as of [null, stranger])
        expect((await world.action('datastore_search', { resource_id }, { as })).body.error.__type).toBe(
          'Authorization Error',
        );
      expect((await search({ resource_id }, member)).total).toBe(3);
    }
    const names = async (as: TestUser | null) =>
      (await search({ resource_id: '_table_metadata', limit: 1000 }, as)).records.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names(null)).not.toContain(id);
    expect(await names(null)).not.toContain(alias);
    expect(await names(member)).toEqual(expect.arrayContaining([id, alias]));
    expect((await world.action('datastore_info', { id })).body.error.__type).toBe('Authorization Error');
  });

  it('can be limited to members', async () => {
    const resource_id = await books();
    await write('datastore_make_private', { resource_id });
    expect((await world.action('datastore_search', { resource_id })).body.error.__type).toBe('Authorization Error');
    expect((await search({ resource_id }, member)).total).toBe(3);
    await write('datastore_make_public', { resource_id });
    expect((await search({ resource_id })).total).toBe(3);
  });

  it('ends with the resource, even if a new resource takes its id', async () => {
    const id = await books();
    await world.result('resource_delete', { id }, { as: editor });
    expect((await world.action('datastore_search', { resource_id: id })).body.error.__type).toBe('Not Found Error');
    const { body } = await world.make.dataset({
      ownerOrganization: organization.id,
      resources: [{ databaseId: id, url: 'http://x' }],
    });
    expect(body.resources[0]!.id).toBe(id);
    expect((await world.action('datastore_search', { resource_id: id })).body.error.__type).toBe('Not Found Error');
    await write('datastore_create', { resource_id: id, records: [{ a: 1 }] });
    expect((await search({ resource_id: id })).records).toEqual([{ _id: 1, a: 1 }]);
  });
});

describe('without its database', () => {
  it('returns 503 while the catalog works, and recovers with the database', async () => {
    const other = await createWorld();
    try {
      const admin = await other.make.sysadmin();
      const dataset = await other.make.dataset({ resources: [{ url: 'http://x' }] });
      const params = { resource_id: dataset.body.resources[0]!.id, force: true, records: [{ a: 1 }] };
      const down = await other.action('datastore_create', params, { as: admin });
      expect(down).toMatchObject({ status: 503, body: { error: { __type: 'Service Unavailable' } } });
      expect(await other.result('package_show', { id: dataset.id })).toMatchObject({ id: dataset.id });
      await other.datastore();
      await other.result('datastore_create', params, { as: admin });
      expect((await other.result('datastore_search', { resource_id: params.resource_id })).total).toBe(1);
      await other.withoutDatastore();
      expect((await other.action('datastore_search', { resource_id: params.resource_id })).status).toBe(503);
      expect(await other.result('resource_show', { id: params.resource_id })).toMatchObject({ datastore_active: true });
    } finally {
      await other.end();
    }
  });

  it('has no actions without the plugin, which the graph names in its error', async () => {
    const other = await createWorld({ 'catalog.plugins': ['text_view'] });
    try {
      expect((await other.action('datastore_search', { resource_id: 'x' })).status).toBe(400);
      const { body } = await other.graph('{ table(id: "x") { resourceId } }');
      expect(body.errors[0]).toMatchObject({ message: expect.stringContaining('catalog.plugins') });
    } finally {
      await other.end();
    }
  });
});
