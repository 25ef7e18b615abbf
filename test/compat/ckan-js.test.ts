/** The npm client `ckan` 0.2.3, unmodified: it writes and reads datasets in both status profiles. */
import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

interface Client {
  action(name: string, data: object, done: (failure: unknown, body: any) => void): void;
}
const CKAN = createRequire(import.meta.url)('ckan') as { Client: new (endpoint: string, key?: string) => Client };

let world: World;
afterEach(() => world.end());

describe.each(['contract', 'http'] as const)('npm ckan 0.2.3 (status profile %s)', (profile) => {
  /** What the client hands to its caller. */
  const ask = (client: Client, name: string, data: object = {}) =>
    new Promise<{ failure: unknown; body: any }>((resolve) =>
      client.action(name, data, (failure, body) => resolve({ failure, body })),
    );

  it('creates, changes, shows, lists and deletes a dataset', async () => {
    world = await createWorld({ 'catalog.action_api.status': profile });
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

  it('is told what was wrong', async () => {
    world = await createWorld({ 'catalog.action_api.status': profile });
    const { failure, body } = await ask(new CKAN.Client(world.base), 'dataset_show', { id: 'no-such-dataset' });
    expect(body).toMatchObject({ success: false, error: { __type: 'Not Found Error' } });
    // The client takes the status for its measure: what is no 200 is a failure with the body in its words.
    expect(failure).toEqual(profile === 'contract' ? null : expect.stringContaining('HTTP code 404'));
  });
});
