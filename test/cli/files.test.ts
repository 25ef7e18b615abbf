/** Compares the file store with the rows: reports missing files, and deletes orphaned files after a day. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { filesCheck, filesSweep } from '../../src/catalog/file/check.service.ts';
import { type Call, withRequest } from '../../src/kernel/call.ts';
import { IMAGES } from '../helpers/images.ts';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { createWorld, type World } from '../helpers/world.ts';

onEachStore((start) => {
  let store: TestStore;
  let world: World;
  let admin: TestUser;

  beforeAll(async () => {
    store = await start();
    world = await createWorld(store.settings);
    admin = await world.make.sysadmin();
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });

  /** A call this many days from now. */
  const inDays = (days: number): Call =>
    withRequest(world.app.callAs(world.system), { now: new Date(Date.now() + days * 24 * 60 * 60 * 1000) });

  async function send(action: string, field: string, content: Uint8Array<ArrayBuffer>, fields: Record<string, string>) {
    const body = new FormData();
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    body.append(field, new Blob([content]), 'file.png');
    const headers = { authorization: admin.key };
    return (await world.request(`/api/3/action/${action}`, { method: 'POST', body, headers })).body.result;
  }

  it('finds no fault in a healthy store', async () => {
    const { id } = await world.make.dataset();
    await send('resource_create', 'upload', Buffer.from('x'), { package_id: id, url: '' });
    await send('group_create', 'image_upload', IMAGES.png, { name: 'with-image' });
    expect(await filesCheck(inDays(2))).toEqual({ named: 2, stored: 2, missing: [], orphans: [] });
    expect(await filesSweep(inDays(2))).toMatchObject({ orphans: [] });
    expect(await store.stored()).toHaveLength(2);
  });

  it('deletes orphaned files older than a day', async () => {
    const {
      stores: { blobs },
    } = inDays(0);
    const before = await store.stored();
    const orphan = await blobs.receive(Readable.from([Buffer.from('nobody has this')]));
    await blobs.keep(orphan);
    expect((await filesSweep(inDays(0.9))).orphans).toEqual([]);
    const { orphans } = await filesCheck(inDays(1.1));
    expect(orphans.map(({ name, size }) => [name, size])).toEqual([[blobs.nameOf(orphan), 15]]);
    expect((await filesSweep(inDays(1.1))).orphans).toHaveLength(1);
    expect(await store.stored()).toEqual(before);
  });

  it('deletes files that a deleted row referred to', async () => {
    const { id } = await world.make.dataset();
    const before = await store.stored();
    const made = await send('resource_create', 'upload', Buffer.from('x'), { package_id: id, url: '' });
    await world.database.pool.query('DELETE FROM resource_file WHERE resource_id = $1', [made.id]); // as after a crash
    expect((await filesCheck(inDays(2))).orphans).toEqual([]);
    await filesSweep(inDays(0));
    expect(await store.stored()).toEqual(before);
  });

  it('reports a missing file with its owner', async () => {
    const { rows } = await world.database.pool.query('SELECT key, group_id FROM image_file');
    await inDays(0).stores.blobs.remove(rows[0].key);
    const { missing, named, stored } = await filesCheck(inDays(0));
    expect(missing).toEqual([{ key: rows[0].key, owner: 'group', ownerId: rows[0].group_id }]);
    expect(named - stored).toBe(1);
  });

  it('refuses callers other than sysadmins', async () => {
    const call = world.app.callAs({ ...world.system, sysadmin: false });
    await expect(filesCheck(call)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
    await expect(filesSweep(call)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
  });
});
