/** The contract of every file store, and an unreachable bucket. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openBlobs } from '../../src/blobs/open.ts';
import type { Blobs } from '../../src/infra/files/blobs.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';

const MIB = 2 ** 20;
const LIMIT = 24 * MIB;
const bytes = (text: string) => Readable.from([Buffer.from(text)]);

/** Yields this many MiB, then throws `why` if it is given. */
async function* stream(mib: number, why?: Error) {
  for (let index = 0; index < mib; index += 1) yield Buffer.alloc(MIB, index);
  if (why) throw why;
}

onEachStore((start, kind) => {
  let store: TestStore;
  let blobs: Blobs;
  const failures: unknown[] = [];
  beforeAll(async () => {
    store = await start();
    const settings = settingsForTests({ ...store.settings, 'catalog.limits.upload': LIMIT });
    blobs = await openBlobs(settings, (failure) => failures.push(failure));
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    blobs?.close();
    await store?.stop();
  });

  it('keeps an uploaded file, whole and by range, until it is removed', async () => {
    const key = await blobs.receive(bytes('0123456789'));
    expect([blobs.sizeOf(key), blobs.startOf(key).toString()]).toEqual([10, '0123456789']);
    await blobs.keep(key);
    await blobs.keep(key);
    await blobs.discard(key);
    expect([blobs.sizeOf(key), await blobs.has(key)]).toEqual([null, true]);
    expect((await buffer((await blobs.open(key))!)).toString()).toBe('0123456789');
    expect((await buffer((await blobs.open(key, { start: 3, end: 5 }))!)).toString()).toBe('345');
    const listed = [];
    for await (const { name, size, modified } of blobs.list())
      listed.push([name, size, Math.abs(Date.now() - Number(modified)) < 60_000]);
    expect(listed).toEqual([[blobs.nameOf(key), 10, true]]);
    await blobs.removeListed(blobs.nameOf(key));
    await blobs.remove(key);
    expect([await blobs.has(key), await blobs.open(key), await store.stored()]).toEqual([false, null, []]);
  });

  it('stores files of many parts, and returns them unchanged', async () => {
    const key = await blobs.receive(Readable.from(stream(17)));
    await blobs.keep(key);
    const back = await buffer((await blobs.open(key, { start: 16 * MIB - 1, end: 16 * MIB }))!);
    expect([blobs.sizeOf(key), [...back]]).toEqual([null, [15, 16]]);
    await blobs.remove(key);
  });

  it('leaves nothing of an upload that is aborted, too large or discarded', async () => {
    await expect(blobs.receive(Readable.from(stream(17, new Error('the client went away'))))).rejects.toThrow(
      'went away',
    );
    await expect(blobs.receive(Readable.from(stream(25)))).rejects.toMatchObject({ kind: 'LIMIT' });
    await blobs.discard(await blobs.receive(Readable.from(stream(7))));
    await blobs.discard(await blobs.receive(Readable.from([])));
    const gone = Readable.from(stream(17));
    setTimeout(() => gone.destroy(), 20);
    await blobs.receive(gone).then(blobs.discard, () => {});
    expect([await store.stored(), failures]).toEqual([[], []]);
  });

  it('reports unknown files as missing, and sweeps without failing', async () => {
    const unknown = 'd9c9a1f4-0000-4000-8000-000000000000';
    expect([blobs.sizeOf(unknown), await blobs.open(unknown), await blobs.has(unknown)]).toEqual([null, null, false]);
    await Promise.all([blobs.discard(unknown), blobs.remove(unknown), blobs.sweep()]);
    expect(await store.stored()).toEqual([]);
  });

  if (kind === 'bucket')
    it('fails with UNAVAILABLE if the bucket is unreachable, and reports the failure', async () => {
      const settings = settingsForTests({ ...store.settings, 'catalog.files.endpoint': 'http://127.0.0.1:9' });
      const lost = await openBlobs(settings, (failure) => failures.push(failure));
      for (const work of [() => lost.receive(bytes('x')), () => lost.open('x'), () => lost.has('x')])
        await expect(work()).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
      lost.close();
      expect(failures.length).toBeGreaterThanOrEqual(3);
    });
});

describe('the settings of a bucket', () => {
  it('require both parts of the key or neither, and a bucket for direct transfers', async () => {
    const { loadSettings } = await import('../../src/kernel/config.ts');
    expect(() => loadSettings({ CATALOG__FILES__KEY_ID: 'x' })).toThrow('catalog.files.key_id, catalog.files.secret');
    expect(() => loadSettings({ CATALOG__FILES__DIRECT: 'true' })).toThrow('catalog.files.bucket');
  });
});
