/** Direct uploads: clients send announced files straight to the bucket, and a real store checks the signed URLs. */
import { createHash, randomBytes } from 'node:crypto';
import { PutBucketCorsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { accepted, CreateResource, createCatalog } from '../../clients/typescript/src/index.ts';
import { clientOf } from '../../src/blobs/bucket.ts';
import { connectionOf } from '../../src/blobs/open.ts';
import { filesSweep } from '../../src/catalog/file/check.service.ts';
import { withUpload } from '../../src/catalog/file/file.service.ts';
import { withLanded } from '../../src/catalog/file/landing.service.ts';
import { USED, whyNotUsable } from '../../src/catalog/file/ticket.rules.ts';
import { uploadBegin } from '../../src/catalog/file/ticket.service.ts';
import { findTicket } from '../../src/catalog/file/ticket.store.ts';
import { anonymous, type Call, withRequest } from '../../src/kernel/call.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { IMAGES } from '../helpers/images.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { inBucket, type TestStore } from '../helpers/stores.ts';
import {
  BEGIN,
  createUploads,
  GROUP,
  HOUR,
  LIMIT,
  MAX_OPEN,
  refused,
  type Ticket,
  type Uploads,
} from '../helpers/uploads.ts';
import { tenAtOnce } from '../helpers/writers.ts';

inBucket((start, server) => {
  let store: TestStore;
  let { world, user, stranger, dataset, later, mutate, begin, use } = {} as Uploads;
  let expectTidy: Uploads['expectTidy'];
  beforeAll(async () => {
    store = await start();
    ({ world, user, stranger, dataset, later, mutate, begin, use, expectTidy } = await createUploads(store, {
      'catalog.files.direct': true,
    }));
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });
  afterEach(() => expectTidy());
  /** A call of the user at a given time. */
  const asUser = (now = new Date()): Call =>
    withRequest(world.app.callAs({ ...anonymous('test'), userId: user.id }), { now });

  /** Uploads like a client, with the URL, method and headers of the ticket. */
  const put = ({ url, method, headers }: Ticket, bytes: Buffer, more: Record<string, string> = {}) =>
    fetch(url, {
      method,
      headers: { ...Object.fromEntries(headers.map(({ name, value }) => [name, value])), ...more },
      body: Uint8Array.from(bytes),
    });
  async function sent(bytes: Buffer): Promise<Ticket> {
    const ticket = await begin({ size: bytes.length });
    const answered = await put(ticket, bytes);
    if (!answered.ok) throw new Error(`PUT ${ticket.url}\nanswered ${answered.status} ${await answered.text()}`);
    return ticket;
  }

  it('uploads a file to the bucket and attaches it to a resource', async () => {
    const bytes = randomBytes(200_000);
    const before = Date.now();
    const ticket = await begin({ size: bytes.length, contentType: 'text/csv; charset=utf-8' });
    expect(ticket.url.startsWith(`${store.settings['catalog.files.endpoint']}/`)).toBe(true);
    expect(new URL(ticket.url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
    expect(ticket.url).not.toContain(ticket.token);
    expect(ticket).toMatchObject({
      method: 'PUT',
      headers: [{ name: 'Content-Type', value: 'text/csv; charset=utf-8' }],
    });
    expect(Date.parse(ticket.expiresAt) - before).toBeLessThan(2 * HOUR);
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'has not been uploaded yet'));
    const answered = await put(ticket, bytes);
    expect([answered.status, await answered.text()]).toEqual([200, '']);
    const { resource, errors } = await use(ticket);
    expect(errors).toEqual([]);
    expect(resource.file).toEqual({ name: 'My Data.csv', size: bytes.length });
    const download = () => fetch(world.base + new URL(resource.url).pathname).then((file) => file.arrayBuffer());
    expect(Buffer.from(await download()).equals(bytes)).toBe(true);
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'already used'));

    expect((await put(ticket, randomBytes(bytes.length))).status).toBe(200); // the URL is valid until it expires
    expect(Buffer.from(await download()).equals(bytes)).toBe(true);
  });

  it('the bucket refuses sizes, types and keys other than the signed ones', async () => {
    const bytes = Buffer.from('a,b\n1,2\n');
    const ticket = await begin({ size: bytes.length, contentType: 'text/csv' });
    const other = { ...ticket, url: ticket.url.replace(/[0-9a-f](?=\?)/, (digit) => (digit === '0' ? '1' : '0')) };
    expect([
      (await put(ticket, Buffer.concat([bytes, bytes]))).status,
      (await put(ticket, bytes.subarray(1))).status,
      (await put(ticket, bytes, { 'content-type': 'text/html' })).status,
      (await put(other, bytes)).status,
    ]).toEqual([403, 403, 403, 403]);
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'has not been uploaded yet'));
    expect((await put(ticket, bytes)).status).toBe(200);
    expect((await use(ticket)).errors).toEqual([]);
  });

  it('accepts an empty file, and recognizes an image by its bytes', async () => {
    expect((await use(await sent(Buffer.alloc(0)))).resource.file.size).toBe(0);
    const logo = { token: (await sent(IMAGES.png)).token, name: 'logo.png' };
    expect(await mutate(GROUP, { name: 'with-logo', imageUpload: logo })).toMatchObject({
      group: { image: { mediaType: 'image/png' } },
      errors: [],
    });
    const none = { token: (await sent(Buffer.from('<svg/>'))).token, name: 'logo.png' };
    const { errors } = await mutate(GROUP, { name: 'without-logo', imageUpload: none });
    expect(errors).toEqual(refused('VALIDATION', 'Must be an image', ['imageUpload']));
  });

  it('a ticket works only for its user, survives a refused mutation and is used once', async () => {
    const ticket = await sent(Buffer.from('mine'));
    const unknown = await use({ token: 'cgu_unknown' }, stranger);
    for (const other of [stranger, null]) expect((await use(ticket, other)).errors).toEqual(unknown.errors);
    expect((await use(ticket, user, { dataset: 'no-such-dataset' })).errors[0].code).toBe('NOT_FOUND');
    const uses = await tenAtOnce(world, () => use(ticket));
    const losers = uses.filter(({ errors }) => errors.length > 0);
    expect(losers.map(({ errors }) => errors)).toEqual(Array(9).fill(refused('VALIDATION', USED)));
  });

  it('reports a ticket as used if another call used it between the checks of ticket and bucket', async () => {
    const { token } = await sent(Buffer.from('wanted by two'));
    const call = asUser();
    const seen = (await findTicket(call.db, call.secrets.secretBox.hash(token)))!;
    expect(whyNotUsable(seen, user.id, call.request.now)).toContain('has not been uploaded yet');
    expect((await use({ token })).errors).toEqual([]);
    expect(whyNotUsable(await withLanded(call, seen), user.id, call.request.now)).toBe(USED);
  });

  it('uses a ticket within the transaction of an idempotency key', async () => {
    const ticket = await sent(Buffer.from('keyed'));
    const keyed = { idempotencyKey: 'upload-1' };
    const before = (await store.stored()).length;
    expect((await use(ticket, user, { ...keyed, dataset: 'no-such-dataset' })).errors[0].code).toBe('NOT_FOUND');
    expect(await store.stored()).toHaveLength(before); // the refused mutation is rolled back, in the bucket too
    const first = await use(ticket, user, keyed);
    expect(first.errors).toEqual([]);
    expect((await use(ticket, user, keyed)).resource.url).toBe(first.resource.url);
  });

  it('applies the limits of all uploads', async () => {
    const { errors } = await mutate(BEGIN, { size: LIMIT + 1 });
    expect(errors).toMatchObject([{ code: 'LIMIT', path: ['size'] }]);
    for (let n = 0; n < MAX_OPEN; n += 1) await begin({ size: 1 });
    expect((await mutate(BEGIN, { size: 1 })).errors).toMatchObject([{ code: 'LIMIT', path: [] }]);
  });

  it('counts a ticket until it expires, and accepts its uploaded file for longer', async () => {
    const tickets: Ticket[] = [];
    for (let n = 0; n < MAX_OPEN; n += 1) tickets.push(await sent(Buffer.from(`file ${n}`)));
    const [first, last] = [tickets[0]!, tickets[MAX_OPEN - 1]!].map(({ expiresAt }) => Date.parse(expiresAt));
    const begun = (at: number) => uploadBegin(asUser(new Date(at)), { size: 1 });
    await expect(begun(first! - 1)).rejects.toMatchObject({ kind: 'LIMIT' });
    expect((await begun(last!)).size).toBe(1);

    const read = (hours: number) =>
      withUpload(
        asUser(new Date(last! + hours * HOUR)),
        { token: tickets[0]!.token, name: 'f' },
        async (file) => file!.size,
      );
    await expect(read(2)).rejects.toMatchObject({ message: expect.stringContaining('has expired') });
    expect(await read(0)).toBe('file 0'.length);
  });

  it('sweeps an unused file only after it can no longer be used', async () => {
    const before = (await store.stored()).length;
    const ticket = await sent(Buffer.from('left'));
    await filesSweep(later(2 * HOUR));
    expect(await store.stored()).toHaveLength(before + 1);
    await filesSweep(later(5 * HOUR));
    expect(await store.stored()).toHaveLength(before);
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'You have not uploaded a file'));
  });

  it('sends a file through the server if its hash is announced', async () => {
    const bytes = Buffer.from('hashed');
    const ticket = await begin({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(ticket.url).toBe(`http://catalog.test/upload/${ticket.token}`);
    expect((await put({ ...ticket, url: `${world.base}/upload/${ticket.token}` }, bytes)).status).toBe(204);
    expect((await use(ticket)).errors).toEqual([]);
  });

  // S3Proxy is skipped: it has no CORS rules per bucket.
  if (server !== 'S3Proxy')
    it('accepts a file from browsers on other sites if the bucket allows PUT with Content-Type', async () => {
      const settings = settingsForTests(store.settings);
      const client = clientOf(connectionOf(settings));
      const origin = 'https://portal.test';
      const CORSRules = [{ AllowedMethods: ['PUT'], AllowedHeaders: ['Content-Type'], AllowedOrigins: [origin] }];
      const Bucket = settings['catalog.files.bucket']!;
      await client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules } }));
      client.destroy();
      const bytes = Buffer.from('a,b\n');
      const ticket = await begin({ size: bytes.length, contentType: 'text/csv' });
      const preflight = (from: string) =>
        fetch(ticket.url, {
          method: 'OPTIONS',
          headers: {
            origin: from,
            'access-control-request-method': ticket.method,
            'access-control-request-headers': 'content-type',
          },
        });
      const allowed = await preflight(origin);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect((await preflight('https://other.test')).headers.get('access-control-allow-origin')).toBe(null);
      const stored = await put(ticket, bytes, { origin });
      expect([stored.status, stored.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect((await use(ticket)).errors).toEqual([]);
    });

  it('accepts a file from the typed client', async () => {
    const catalog = createCatalog({ url: world.base, key: user.key });
    const upload = await catalog.upload(new Blob(['a,b\n'], { type: 'text/csv' }), { name: 'ab.csv' });
    const input = { dataset: toGlobalId('Dataset', dataset), resource: { name: 'By the client' }, upload };
    const { resource } = accepted((await catalog.run(CreateResource, { input })).createResource);
    expect(resource.url).toMatch(/\/ab\.csv$/);
  });
});
