/** The npm client `ckan` 0.2.3, unmodified: it writes and reads datasets at both levels of the Action API. */
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

interface Client {
  action(name: string, data: object, done: (failure: unknown, body: any) => void): void;
}
const CKAN = createRequire(import.meta.url)('ckan') as { Client: new (endpoint: string, key?: string) => Client };

let world: World;
afterEach(() => world.end());

describe.each(['2.4', '2.11'] as const)('npm ckan 0.2.3 (level %s)', (level) => {
  /** Calls an action. Returns the arguments of the client's callback. */
  const ask = (client: Client, name: string, data: object = {}) =>
    new Promise<{ failure: unknown; body: any }>((resolve) =>
      client.action(name, data, (failure, body) => resolve({ failure, body })),
    );

  it('creates, updates, shows, lists and deletes a dataset', async () => {
    world = await createWorld({ 'catalog.action_api.level': level });
    const client = new CKAN.Client(world.base, (await world.make.sysadmin()).key);
    const done = async (name: string, data: object) => {
      const { failure, body } = await ask(client, name, data);
      expect({ failure, success: body?.success }).toEqual({ failure: null, success: true });
      return body.result;
    };
    const made = await done('dataset_create', {
      name: 'water-levels',
      title: 'Water levels, 水位',
      tags: [{ name: 'water' }],
      extras: [{ key: 'river', value: 'Thames' }],
      resources: [{ url: 'http://data.example/levels.csv', format: 'CSV' }],
    });
    const shown = await done('dataset_show', { id: 'water-levels' });
    expect(shown).toMatchObject({
      id: made.id,
      title: 'Water levels, 水位',
      tags: [{ name: 'water' }],
      extras: [{ key: 'river', value: 'Thames' }],
      resources: [{ url: 'http://data.example/levels.csv', format: 'CSV' }],
    });
    await done('dataset_update', { ...shown, notes: 'Hourly.' });
    expect(await done('dataset_list', {})).toEqual(['water-levels']);
    expect(await done('dataset_show', { id: made.id })).toMatchObject({ notes: 'Hourly.', title: shown.title });
    await done('dataset_delete', { id: made.id });
    expect(await done('dataset_list', {})).toEqual([]);
  });

  it('reports refusals as failures if they have a status of their own', async () => {
    world = await createWorld({ 'catalog.action_api.level': level });
    const visitor = new CKAN.Client(world.base);
    const admin = new CKAN.Client(world.base, (await world.make.sysadmin()).key);
    for (const [client, name, data, type, status] of [
      [visitor, 'dataset_show', { id: 'no-such-dataset' }, 'Not Found Error', 404],
      [visitor, 'organization_create', { name: 'office' }, 'Authorization Error', 403],
      [admin, 'dataset_create', { name: 'Not A Name' }, 'Validation Error', 409],
    ] as const) {
      const { failure, body } = await ask(client, name, data);
      expect(body).toMatchObject({ success: false, error: { __type: type } });
      // The client checks only the status, so it takes a refusal with status 200 for a success.
      expect(failure).toEqual(level === '2.4' ? null : expect.stringContaining(`HTTP code ${status}`));
    }
  });
});
