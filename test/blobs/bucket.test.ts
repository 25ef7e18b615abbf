/** Files in a bucket: long lists, unfinished uploads, names of backups, and a failing store. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateMultipartUploadCommand, PutObjectCommand, type S3Client, UploadPartCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { archiveObject } from '../../src/blobs/archives.ts';
import { clientOf } from '../../src/blobs/bucket.ts';
import { connectionOf, openBlobs } from '../../src/blobs/open.ts';
import { openArchive } from '../../src/cli/archive-place.ts';
import type { Blobs } from '../../src/infra/files/blobs.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { inBucket, type TestBucket } from '../helpers/stores.ts';

const HOUR = 60 * 60 * 1000;
/** Maximum objects in one list response of S3. */
const PAGE = 1_000;
/** A key, which has the form of a UUID. */
const numbered = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
async function inBatches(items: readonly string[], work: (item: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += 20) await Promise.all(items.slice(from, from + 20).map(work));
}

async function* chunks(mib: number) {
  for (let n = 0; n < mib; n += 1) {
    yield Buffer.alloc(2 ** 20);
    await sleep(5);
  }
}
const slow = (mib: number) => Readable.from(chunks(mib), { objectMode: false });

inBucket((start) => {
  let store: TestBucket;
  let settings: Settings;
  let blobs: Blobs;
  let client: S3Client;
  let Bucket: string;
  const failures: { name: string }[] = [];
  const open = (overrides: Partial<Settings> = {}) =>
    openBlobs(settingsForTests({ ...store.settings, ...overrides }), (why) => failures.push(why as { name: string }));
  beforeAll(async () => {
    store = await start();
    settings = settingsForTests(store.settings);
    blobs = await open();
    client = clientOf(connectionOf(settings));
    Bucket = settings['catalog.files.bucket']!;
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    blobs?.close();
    client?.destroy();
    await store?.stop();
  });

  it('lists all files across several responses, once each', async () => {
    const keys = Array.from({ length: PAGE + 5 }, (_, index) => numbered(index));
    const others = [`other/${numbered(1)}`, 'tests/no-token', `tests/deeper/${numbered(1)}`];
    const all = [...keys.map((key) => `tests/${key}`), ...others];
    await inBatches(all, (Key) => client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' })));
    const listed: string[] = [];
    for await (const { name, size } of blobs.list()) if (size === 1) listed.push(name);
    expect(listed.sort()).toEqual(keys);
    await inBatches(keys, (key) => blobs.remove(key));
  });

  it('aborts its own unfinished uploads after a day', async () => {
    for (const Key of ['tests/unfinished', 'other/unfinished']) {
      const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
      await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: 'part' }));
    }
    // S3Proxy lists the parts as objects too.
    const unfinished = async () => (await store.stored()).filter((name) => name.startsWith('.incoming/'));
    await blobs.sweep();
    expect(await unfinished()).toEqual(['.incoming/other/unfinished', '.incoming/tests/unfinished']);
    const later = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * HOUR);
    const swept = blobs.sweep(); // reads the clock before its first request, which is signed with the real time
    later.mockRestore();
    await swept;
    expect(await unfinished()).toEqual(['.incoming/other/unfinished']);
  });

  it('stores a backup under any name', async () => {
    const name = "backups of '26/Zürich + 100 %/価格?a=b&c#d.tar";
    const archive = archiveObject(settings, Bucket, name);
    expect(await archive.size()).toBe(null);
    await archive.write(Readable.from([Buffer.from('an archive')]));
    expect([await archive.size(), (await buffer(archive.read())).toString()]).toEqual([10, 'an archive']);
    archive.close();
  });

  it.each([0, 1, 4, 8, 11])('reads a backup of %i bytes in parts of 4', async (size) => {
    const archive = archiveObject(settings, Bucket, `parts-${size}.tar`, 4);
    const bytes = Buffer.from('an archive!').subarray(0, size);
    await client.send(new PutObjectCommand({ Bucket, Key: `parts-${size}.tar`, Body: bytes }));
    const parts: Buffer[] = [];
    for await (const part of archive.read()) parts.push(part);
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(parts.length).toBe(Math.ceil(size / 4));
    archive.close();
  });

  it('reads a large backup, and fails clearly if it is replaced or the store goes down between two parts', async () => {
    const key = numbered(0);
    const place = `s3://${Bucket}/tests/${key}`;
    const bytes = randomBytes(70 * 2 ** 20);
    const write = (content: Buffer) => blobs.put(key, Readable.from([content])); // in parts small enough for S3Proxy's memory
    await write(bytes);
    const archive = await openArchive(place, settings);
    expect((await buffer(await archive.read())).equals(bytes)).toBe(true);
    const begin = async () => {
      const reader = (await archive.read())[Symbol.asyncIterator]();
      expect((await reader.next()).value?.equals(bytes.subarray(0, 32 * 2 ** 20))).toBe(true);
      return reader;
    };
    const interrupted = await begin();
    await store.interrupt(async () => {
      await expect(interrupted.next()).rejects.toThrow(`${place}: the object store refused it (`);
    });
    const outdated = await begin();
    await write(Buffer.alloc(bytes.length));
    await expect(outdated.next()).rejects.toThrow(`${place} was replaced while it was read`);
    archive.close();
    await blobs.remove(key);
  });

  it('is UNAVAILABLE while the store is down, and works again afterwards', async () => {
    const key = await blobs.receive(Readable.from([Buffer.from('kept')]));
    const begun = blobs.receive(slow(60)).catch((failure: unknown) => failure);
    await sleep(150); // some parts are stored
    await store.interrupt(async () => {
      expect(await begun).toMatchObject({ kind: 'UNAVAILABLE' });
      const receive = () => blobs.receive(Readable.from([Buffer.from('lost')]));
      for (const work of [receive, () => blobs.open(key), () => blobs.has(key), () => blobs.check()])
        await expect(work()).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
    });
    await blobs.check();
    expect((await buffer((await blobs.open(key))!)).toString()).toBe('kept');
    const next = await blobs.receive(Readable.from([Buffer.from('next')]));
    expect(await blobs.has(next)).toBe(true);
    await Promise.all([blobs.remove(key), blobs.remove(next)]);
  });

  it.each<[string, Partial<Settings>, RegExp]>([
    ['a wrong key', { 'catalog.files.secret': 'wrong' }, /^SignatureDoesNotMatch$/],
    // Versity Gateway uses its own name for InvalidAccessKeyId.
    ['an unknown key', { 'catalog.files.key_id': 'unknown' }, /^(InvalidAccessKeyId|XAdminUserNotFound)$/],
    ['a missing bucket', { 'catalog.files.bucket': 'no-such-bucket' }, /^NoSuchBucket$/],
  ])('fails with UNAVAILABLE and logs the reason for %s', async (_, overrides, reason) => {
    failures.length = 0;
    const refused = await open(overrides);
    const works = [
      () => refused.receive(Readable.from([Buffer.from('x')])),
      () => refused.receive(Readable.from([Buffer.alloc(17 * 2 ** 20)])),
      () => refused.open(numbered(0)),
      () => refused.check(),
    ];
    for (const work of works) await expect(work()).rejects.toMatchObject({ kind: 'UNAVAILABLE' });
    refused.close();
    expect(failures.filter(({ name }) => !reason.test(name))).toEqual([]);
    expect(failures.length).toBeGreaterThanOrEqual(works.length);
  });
});
