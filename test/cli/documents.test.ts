import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type DocumentFault,
  documentsCheck,
  documentsRebuild,
} from '../../src/catalog/dataset/read/documents.service.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

async function faults(): Promise<DocumentFault[]> {
  const found: DocumentFault[] = [];
  for await (const batch of documentsCheck(world.app.callAs(world.system))) found.push(...batch.faults);
  return found;
}

async function rebuild(): Promise<number> {
  let written = 0;
  for await (const count of documentsRebuild(world.app.callAs(world.system))) written += count;
  return written;
}

const tamper = (sql: string, values: unknown[]) => world.database.pool.query(sql, values);

it('finds no difference between documents and rows, across batches', async () => {
  const owner = await world.make.organization();
  for (let index = 0; index < 120; index += 1) {
    await world.make.dataset({
      name: `d-${index}`,
      ownerOrganization: owner.id,
      tags: [{ name: `tag ${index % 3}` }],
      resources: [{ url: 'http://example.com/a' }],
    });
  }
  expect(await faults()).toEqual([]);
});

it('lists differing documents with their keys, and rebuilds them without changing versions', async () => {
  const [lost, wrong, stale] = await Promise.all(
    ['lost', 'wrong', 'stale'].map((name) => world.make.dataset({ name })),
  );
  await tamper('DELETE FROM dataset_document WHERE dataset_id = $1', [lost!.id]);
  await tamper('UPDATE dataset SET notes = $2 WHERE id = $1', [wrong!.id, 'behind its back']);
  await tamper('UPDATE dataset_document SET private = true WHERE dataset_id = $1', [stale!.id]);
  const found = await faults();
  expect(Object.fromEntries(found.map(({ name, keys }) => [name, keys]))).toEqual({
    lost: ['(missing)'],
    wrong: ['notes'],
    stale: ['(columns)'],
  });
  expect(await rebuild()).toBe(123);
  expect(await faults()).toEqual([]);
  expect(await world.result('package_show', { id: 'wrong' })).toMatchObject({
    notes: 'behind its back',
    revision_id: wrong!.body.revision_id,
  });
  const { headers } = await world.action('package_show', { id: 'lost' }, { get: true });
  expect(headers.get('etag')).toMatch(/^"1-/);
});

it('refuses callers other than sysadmins', async () => {
  const call = world.app.callAs({ ...world.system, sysadmin: false });
  await expect(documentsCheck(call).next()).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
  await expect(documentsRebuild(call).next()).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
});
