/** Files that are announced on /graphql, sent by PUT under a token, and used by a mutation: on both stores, over a real server. */
import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { filesCheck, filesSweep } from '../../src/catalog/file/check.service.ts';
import { IMAGES } from '../helpers/images.ts';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { until } from '../helpers/until.ts';
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

onEachStore((start) => {
  let store: TestStore;
  let { world, user, stranger, later, mutate, begin, use } = {} as Uploads;
  let expectTidy: Uploads['expectTidy'];
  beforeAll(async () => {
    store = await start();
    ({ world, user, stranger, later, mutate, begin, use, expectTidy } = await createUploads(store));
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });
  afterEach(() => expectTidy());

  /** Uploads like a client, without an API key. `chunked` sends a stream of unknown length. */
  function put({ url, method, headers }: Ticket, bytes: Buffer, { chunked = false, type = '' } = {}) {
    const all = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
    const init = { method, headers: { ...all, ...(type && { 'content-type': type }) } };
    const body = chunked ? new Blob([Uint8Array.from(bytes)]).stream() : Uint8Array.from(bytes);
    return world.request(new URL(url).pathname, { ...init, body, ...(chunked && { duplex: 'half' }) } as RequestInit);
  }
  async function sent(bytes: Buffer, as: TestUser = user): Promise<Ticket> {
    const ticket = await begin({ size: bytes.length }, as);
    const answered = await put(ticket, bytes);
    if (answered.status !== 204) throw new Error(`PUT ${ticket.url}\nanswered ${answered.status} ${answered.text}`);
    return ticket;
  }
  const kept = async (): Promise<number> => (await store.stored()).length;

  it('announces a file, receives it and attaches it to a resource', async () => {
    const bytes = randomBytes(200_000);
    const sha256 = createHash('sha256').update(bytes).digest('hex').toUpperCase();
    const before = Date.now();
    const ticket = await begin({ size: bytes.length, contentType: 'text/csv; charset=utf-8', sha256 });
    expect(ticket).toEqual({
      token: expect.stringMatching(/^cgu_[\w-]{43}$/),
      url: `http://catalog.test/upload/${ticket.token}`,
      method: 'PUT',
      headers: [{ name: 'Content-Type', value: 'text/csv; charset=utf-8' }],
      size: bytes.length,
      expiresAt: expect.any(String),
    });
    expect(Date.parse(ticket.expiresAt)).toBeGreaterThan(before + HOUR - 1);
    const answered = await put(ticket, bytes);
    expect([answered.status, answered.text, answered.headers.get('access-control-allow-origin')]).toEqual([
      204,
      '',
      '*',
    ]);
    const { resource, errors } = await use(ticket);
    expect(errors).toEqual([]);
    expect(resource).toMatchObject({ urlType: 'upload', file: { name: 'My Data.csv', size: bytes.length } });
    const download = await fetch(world.base + new URL(resource.url).pathname);
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);

    expect((await put(ticket, bytes)).status).toBe(409);
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'already used'));
  });

  it('accepts an empty file', async () => {
    expect((await use(await sent(Buffer.alloc(0)))).resource.file.size).toBe(0);
  });

  it('accepts an image only if its bytes are one', async () => {
    const imageOf = async (bytes: Buffer) => ({ token: (await sent(bytes)).token, name: 'logo.png' });
    const made = await mutate(GROUP, { name: 'with-logo', imageUpload: await imageOf(IMAGES.png) });
    expect(made).toMatchObject({ group: { image: { mediaType: 'image/png' } }, errors: [] });
    const none = await mutate(GROUP, { name: 'without-logo', imageUpload: await imageOf(Buffer.from('<svg/>')) });
    expect(none.errors).toEqual(refused('VALIDATION', 'Must be an image', ['imageUpload']));
  });

  describe('a file that differs from its announcement', () => {
    const bytes = Buffer.from('a,b\n1,2\n');
    it.each([
      ['one byte more', 413, 'LIMIT', bytes.length - 1, {}],
      ['one byte more, without a length', 413, 'LIMIT', bytes.length - 1, { chunked: true }],
      ['one byte less', 400, 'VALIDATION', bytes.length + 1, {}],
      ['one byte less, without a length', 400, 'VALIDATION', bytes.length + 1, { chunked: true }],
      ['another type', 400, 'VALIDATION', bytes.length, { type: 'text/html' }],
    ] as const)('%s: returns %i and stores nothing', async (_what, status, code, size, how) => {
      const before = await kept();
      const ticket = await begin({ size });
      const answered = await put(ticket, bytes, how);
      expect([answered.status, answered.body.errors?.[0].code, await kept()]).toEqual([status, code, before]);
      expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'has not been uploaded yet'));
      expect((await put(ticket, Buffer.alloc(size))).status).toBe(204); // it can be sent again
    });

    it('is refused if its bytes do not match the hash', async () => {
      const before = await kept();
      const ticket = await begin({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
      const answered = await put(ticket, Buffer.alloc(bytes.length));
      expect([answered.status, answered.body.errors]).toEqual([400, refused('VALIDATION', 'SHA-256', ['sha256'])]);
      expect([await kept(), (await put(ticket, bytes, { chunked: true })).status]).toEqual([before, 204]);
    });
  });

  it('a ticket works only for its user and is unknown to others', async () => {
    const ticket = await sent(Buffer.from('mine'));
    const unknown = await use({ token: 'cgu_unknown' }, stranger);
    for (const other of [stranger, null]) expect((await use(ticket, other)).errors).toEqual(unknown.errors);
    expect(unknown.errors).toEqual(refused('VALIDATION', 'You have not uploaded a file'));
    expect((await use(ticket)).errors).toEqual([]);
  });

  it('a ticket survives a refused mutation', async () => {
    const ticket = await sent(Buffer.from('again'));
    expect((await use(ticket, user, { dataset: 'no-such-dataset' })).errors[0].code).toBe('NOT_FOUND');
    expect((await use(ticket)).errors).toEqual([]);
  });

  it('a ticket receives one file and is used once under concurrent requests', async () => {
    const before = await kept();
    const bytes = randomBytes(LIMIT);
    const ticket = await begin({ size: LIMIT });
    const statuses = await tenAtOnce(world, () => put(ticket, bytes));
    expect(statuses.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(409)]);
    const uses = await tenAtOnce(world, () => use(ticket));
    expect(uses.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
    for (const { errors } of uses.filter((one) => one.errors.length > 0))
      expect(errors).toEqual(refused('VALIDATION', 'already used'));
    expect(await kept()).toBe(before + 1);
  });

  it('stores nothing of an aborted upload, which can be sent again', async () => {
    const before = await kept();
    const ticket = await begin({ size: LIMIT });
    const { pathname } = new URL(ticket.url);
    await new Promise<void>((resolve) => {
      const headers = { 'content-type': 'application/octet-stream', 'content-length': LIMIT };
      const req = http.request(world.base + pathname, { method: 'PUT', headers });
      req.on('error', () => resolve());
      req.write(Buffer.alloc(LIMIT / 2), () => req.destroy(new Error('gone')));
    });
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'has not been uploaded yet'));
    await until(async () => (await kept()) === before, store.stored);
    expect((await put(ticket, Buffer.alloc(LIMIT))).status).toBe(204);
  });

  it('stores a file until its ticket expires, then the sweep deletes it', async () => {
    const before = await kept();
    const [waiting, ticket] = [await begin({ size: 1 }), await sent(Buffer.from('unused'))];
    await filesSweep(later(HOUR));
    expect(await filesCheck(later(48 * HOUR))).toMatchObject({ missing: [], orphans: [] });
    expect(await kept()).toBe(before + 1);
    await world.database.db.uploadTicket.updateMany({ data: { expiresAt: new Date(Date.now() - 1) } });
    expect((await use(ticket)).errors).toEqual(refused('VALIDATION', 'has expired'));
    expect(await put(waiting, Buffer.from('x'))).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'NOT_FOUND' }] },
    });
    await filesSweep(later(2 * HOUR));
    expect(await kept()).toBe(before);
    await filesSweep(later(4 * HOUR)); // a ticket without a known file is swept later, as a bucket may hold one
    expect([await kept(), await world.database.db.uploadTicket.count()]).toEqual([before, 0]);
  });

  it('limits the open tickets of a user', async () => {
    const open = await Promise.all(Array.from({ length: MAX_OPEN + 2 }, () => mutate(BEGIN, { size: 1 }, stranger)));
    expect(open.filter(({ upload }) => upload)).toHaveLength(MAX_OPEN);
    for (const { errors } of open.filter(({ upload }) => !upload))
      expect(errors).toEqual(refused('LIMIT', 'catalog.limits.uploads_per_user', []));
    const { upload } = open.find((one) => one.upload);
    expect((await put(upload, Buffer.from('x'))).status).toBe(204);
    expect((await use(upload, stranger)).errors).toEqual([]);
    expect((await mutate(BEGIN, { size: 1 }, stranger)).errors).toEqual([]);
  });

  it.each([
    ['a byte beyond the limit', { size: LIMIT + 1 }, refused('LIMIT', 'catalog.limits.upload', ['size'])],
    ['a negative size', { size: -1 }, refused('VALIDATION', 'negative', ['size'])],
    [
      'an invalid media type',
      { size: 1, contentType: 'a/b\r\nx: y' },
      refused('VALIDATION', 'media type', ['contentType']),
    ],
    ['an invalid hash', { size: 1, sha256: 'abc' }, refused('VALIDATION', '64 hexadecimal', ['sha256'])],
  ])('refuses %s', async (_what, input, errors) => {
    expect(await mutate(BEGIN, input)).toEqual({ upload: null, errors });
  });

  it('refuses users who may not edit anything', async () => {
    const strict = await createUploads(store, {
      'catalog.auth.create_unowned_dataset': false,
      'catalog.auth.create_dataset_if_not_in_organization': false,
      'catalog.auth.user_create_groups': false,
      'catalog.auth.user_create_organizations': false,
    });
    const editor = await strict.world.make.user();
    await strict.world.make.organization({ members: { [editor.id]: 'editor', [strict.stranger.id]: 'member' } });
    for (const as of [strict.user, strict.stranger])
      expect(await strict.mutate(BEGIN, { size: 1 }, as)).toEqual({
        upload: null,
        errors: refused('NOT_AUTHORIZED', 'is not authorized to create or edit anything', []),
      });
    expect((await strict.begin({ size: 1 }, editor)).token).toMatch(/^cgu_/);
    await strict.world.end();
  });

  it('limits the announced bytes of a user, and counts an uploaded file until it is used', async () => {
    const own = await start();
    const few = await createUploads(own, { 'catalog.limits.upload_bytes_per_user': 100 });
    const first = await few.begin({ size: 60 });
    const over = { upload: null, errors: refused('LIMIT', 'Your open uploads have 60 bytes', ['size']) };
    expect(await few.mutate(BEGIN, { size: 41 })).toEqual(over);
    const headers = { 'content-type': first.headers[0]!.value };
    const body = Uint8Array.from(randomBytes(60));
    expect((await few.world.request(`/upload/${first.token}`, { method: 'PUT', body, headers })).status).toBe(204);
    expect(await few.mutate(BEGIN, { size: 41 })).toEqual(over);
    await few.begin({ size: 40 }); // exactly at the limit
    await few.begin({ size: 100 }, few.stranger); // the limit is per user
    expect((await few.use(first)).errors).toEqual([]);
    await few.begin({ size: 60 });
    await few.world.end();
    await own.stop();
  });

  it('refuses anonymous callers', async () => {
    const { upload, errors } = await mutate(BEGIN, { size: 1 }, null);
    expect([upload, errors[0].code]).toEqual([null, 'NOT_AUTHORIZED']);
  });

  it('finds nothing for hostile tokens, at the upload endpoint and in mutations', async () => {
    const { resource } = await use(await sent(Buffer.from('kept')));
    const { key } = await world.database.db.resourceFile.findFirstOrThrow({
      where: { resourceId: resource.databaseId },
    });
    const tokens = ['..', '../../etc/passwd', "' OR '1'='1", '__proto__', 'x'.repeat(5_000), key, '%', 'é'];
    for (const token of [...tokens, 'a\u0000b']) {
      const path = `/upload/${encodeURIComponent(token).replaceAll('.', '%2e')}`;
      const answered = await world.request(path, { method: 'PUT', body: 'x' });
      const isPath = token === '..'; // clients resolve it to the parent path
      expect({ token, status: answered.status }).toEqual({ token, status: isPath ? answered.status : 404 });
      expect(answered.status).toBeLessThan(500);
    }
    for (const token of tokens)
      expect((await use({ token })).errors).toEqual(refused('VALIDATION', 'You have not uploaded a file'));
    const broken = await world.request('/upload/%E0%A4%A', { method: 'PUT', body: 'x' });
    const read = await world.request('/upload/x');
    expect([broken.status, read.status, read.headers.get('allow')]).toEqual([400, 405, 'PUT']);
  });
});
