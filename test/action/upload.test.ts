/** Files of resources: upload, download, replacement, removal and refusal, without leftovers in the store. */
import http from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const LIMIT = 300_000;
onEachStore((start, kind) => {
  let store: TestStore;
  let world: World;
  let editor: TestUser;
  let stranger: TestUser;
  let datasetId: string;
  let organizationId: string;

  beforeAll(async () => {
    store = await start();
    world = await createWorld({
      ...store.settings,
      'catalog.limits.upload': LIMIT,
      'catalog.limits.json_body': 20_000,
    });
    editor = await world.make.user();
    stranger = await world.make.user();
    organizationId = (await world.make.organization({ members: { [editor.id]: 'editor' } })).id;
    datasetId = (await world.make.dataset({ ownerOrganization: organizationId })).id;
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });

  const stored = () => store.stored();

  const textPart = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const filePart = (name: string, filename: string, content: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n${content}\r\n`;

  afterEach(async () => expect((await stored()).filter((path) => path.startsWith('.incoming'))).toEqual([]));

  interface Sent {
    as?: TestUser | null;
    name?: string;
    content?: string | Uint8Array<ArrayBuffer>;
    field?: string;
  }

  async function send(
    action: string,
    fields: Record<string, string>,
    { as = editor, name, content = 'a,b\n1,2\n', field = 'upload' }: Sent = {},
  ) {
    const body = new FormData();
    for (const [key, value] of Object.entries(fields)) body.append(key, value);
    if (name !== undefined) body.append(field, new Blob([content]), name);
    return world.request(`/api/3/action/${action}`, {
      method: 'POST',
      body,
      headers: as ? { authorization: as.key } : {},
    });
  }

  async function upload(sent: Sent = {}, fields: Record<string, string> = {}) {
    const answered = await send(
      'resource_create',
      { package_id: datasetId, url: '', ...fields },
      { name: 'data.csv', ...sent },
    );
    if (!answered.body.success) throw new Error(answered.text);
    return answered.body.result;
  }

  const pathOf = (url: string): string => new URL(url).pathname;
  const download = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.request(pathOf(url), { headers, method, redirect: 'manual' });

  describe('a file sent with resource_create', () => {
    it('is stored, named and served at its URL', async () => {
      const made = await upload({ name: 'My Data File.CSV', content: 'id\n1 é\n' });
      expect(made).toMatchObject({
        url: `http://catalog.test/dataset/${datasetId}/resource/${made.id}/download/my-data-file.csv`,
        url_type: 'upload',
        format: 'CSV',
        mimetype: null,
        size: null,
      });
      expect(Date.now() - Date.parse(`${made.last_modified}Z`)).toBeLessThan(600_000);
      expect(await world.result('resource_show', { id: made.id })).toMatchObject({ url: made.url });
      const got = await download(made.url);
      expect(got).toMatchObject({ status: 200, text: 'id\n1 é\n' });
      expect(got.headers.get('content-type')).toBe('text/csv');
      expect(got.headers.get('content-disposition')).toBe(
        `inline; filename="My Data File.CSV"; filename*=UTF-8''My%20Data%20File.CSV`,
      );
      expect((await world.request(`/dataset/${datasetId}/resource/${made.id}/download`)).text).toBe('id\n1 é\n');
      expect((await world.request(`/dataset/${datasetId}/resource/${made.id}/download/other.csv`)).text).toBe(
        'id\n1 é\n',
      );
    });

    it('has its name and size in GraphQL', async () => {
      const made = await upload({ content: '12345' });
      const { body } = await world.graph('query($id: ID!) { resource(id: $id) { file { name size etag } } }', {
        id: made.id,
      });
      expect(body.data.resource.file).toEqual({ name: 'data.csv', size: 5, etag: expect.any(String) });
    });

    it.each([
      ['../../../etc/passwd', 'passwd'],
      ['..\\..\\boot.ini', 'boot.ini'],
      ['ünï cöde!.txt', 'uni-code.txt'],
      ['データ.csv', 'file.csv'],
      ['...', 'file'],
      ['.htaccess', 'file.htaccess'],
      [`${'x'.repeat(200)}.csv`, `${'x'.repeat(96)}.csv`],
      ['a?b#c.csv', 'abc.csv'],
    ])('named %s is called %s in the URL', async (name, clean) => {
      const before = await stored();
      const made = await upload({ name });
      expect(made.url.split('/').at(-1)).toBe(clean);
      expect((await download(made.url)).text).toBe('a,b\n1,2\n');
      expect((await stored()).filter((path) => !before.includes(path))).toEqual([
        expect.stringMatching(kind === 'folder' ? /^[0-9a-f]{2}\/[0-9a-f]{64}$/ : /^[0-9a-f-]{36}$/),
      ]);
    });

    it('stays inside the store if the resource id contains a path', async () => {
      const admin = await world.make.sysadmin();
      const before = await stored();
      const made = await upload({ as: admin }, { id: '../../../../escaped' });
      expect((await download(made.url)).text).toBe('a,b\n1,2\n');
      expect(await stored()).toHaveLength(before.length + 1);
      expect(await stored()).not.toContainEqual(expect.stringContaining('escaped'));
    });

    it('may be empty', async () => {
      const made = await upload({ content: '' });
      const got = await download(made.url, { range: 'bytes=0-' });
      expect([got.status, got.headers.get('content-range')]).toEqual([416, 'bytes */0']);
      expect(await download(made.url)).toMatchObject({ status: 200, text: '' });
    });
  });

  describe('a refused upload leaves no file in the store', () => {
    it.each([
      ['a visitor', () => null, 'Authorization Error'],
      ['a user without memberships', () => stranger, 'Authorization Error'],
    ])('sent by %s', async (_who, as, type) => {
      const before = await stored();
      expect(
        (await send('resource_create', { package_id: datasetId, url: '' }, { as: as(), name: 'x.csv' })).body.error
          .__type,
      ).toBe(type);
      expect(await stored()).toEqual(before);
    });

    it('without a URL, for an unknown dataset or with an invalid date', async () => {
      const before = await stored();
      expect((await send('resource_create', { package_id: datasetId }, { name: 'x.csv' })).body.error).toMatchObject({
        url: ['Missing value'],
      });
      expect(
        (await send('resource_create', { package_id: 'nope', url: '' }, { name: 'x.csv' })).body.error.__type,
      ).toBe('Not Found Error');
      expect(
        (await send('resource_create', { package_id: datasetId, url: '', created: 'never' }, { name: 'x.csv' })).body
          .error,
      ).toMatchObject({ created: ['Date format incorrect'] });
      expect(await stored()).toEqual(before);
    });

    it('over the size limit, while a file at the limit is accepted', async () => {
      const before = await stored();
      const { body } = await send(
        'resource_create',
        { package_id: datasetId, url: '' },
        { name: 'x.bin', content: new Uint8Array(LIMIT + 1) },
      );
      expect(body.error).toEqual({
        __type: 'Validation Error',
        message: `upload: The file exceeds ${LIMIT} bytes (catalog.limits.upload)`,
        upload: [expect.stringContaining(`${LIMIT} bytes`)],
      });
      expect(await stored()).toEqual(before);
      expect(
        (await download((await upload({ name: 'x.bin', content: new Uint8Array(LIMIT) })).url)).headers.get(
          'content-length',
        ),
      ).toBe(String(LIMIT));
    });

    it('for a parameter that does not accept files', async () => {
      const before = await stored();
      expect((await send('package_create', { name: 'with-file' }, { name: 'x.csv' })).body.error).toMatchObject({
        upload: ['This parameter does not accept files'],
      });
      expect(
        (await send('group_create', { name: 'with-logo' }, { name: 'x.png', field: 'upload' })).body.error,
      ).toMatchObject({ upload: ['This parameter does not accept files'] });
      expect(
        (await send('resource_create', { package_id: datasetId, url: '' }, { name: 'x.csv', field: 'other' })).body
          .error,
      ).toMatchObject({ other: ['This parameter does not accept files'] });
      expect(await stored()).toEqual(before);
    });

    it('truncated, aborted or with text fields above the size limit', async () => {
      const before = await stored();
      const head = `--b\r\ncontent-disposition: form-data; name="package_id"\r\n\r\n${datasetId}\r\n--b\r\ncontent-disposition: form-data; name="upload"; filename="x.csv"\r\n\r\n`;
      const headers = { authorization: editor.key, 'content-type': 'multipart/form-data; boundary=b' };
      const cut = await world.request('/api/3/action/resource_create', {
        method: 'POST',
        headers,
        body: `${head}half`,
      });
      expect([cut.status, cut.body]).toEqual([400, expect.stringContaining('Multipart Error')]);
      await new Promise<void>((resolve) => {
        const request = http.request(`${world.base}/api/3/action/resource_create`, {
          method: 'POST',
          headers: { ...headers, 'content-length': 100_000 },
        });
        request.on('error', () => resolve());
        request.write(`${head}${'x'.repeat(50_000)}`);
        setTimeout(() => request.destroy(), 50);
      });
      await until(async () => (await stored()).length <= before.length, stored);
      expect(await stored()).toEqual(before);
      const large = await send(
        'resource_create',
        { package_id: datasetId, url: '', description: 'x'.repeat(15_000), notes: 'y'.repeat(15_000) },
        { name: 'x.csv' },
      );
      expect([large.status, large.body]).toEqual([400, expect.stringContaining('catalog.limits.json_body')]);
      expect(await stored()).toEqual(before);
    });

    it('from an anonymous caller, refused before the body is received', async () => {
      const answered = await new Promise<string>((resolve, reject) => {
        const request = http.request(`${world.base}/api/3/action/resource_create`, {
          method: 'POST',
          headers: { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 100_000 },
        });
        request.on('error', reject);
        request.on('response', (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          response.on('end', () => {
            resolve(text);
            request.destroy();
          });
        });
        request.write(`${filePart('upload', 'x.csv', 'x'.repeat(1000))}`); // the rest is never sent, so the response must not wait for it
      });
      expect(JSON.parse(answered).error.__type).toBe('Authorization Error');
      expect((await stored()).filter((path) => path.startsWith('.incoming'))).toEqual([]);
    });

    it('from an anonymous caller, even for an unknown dataset', async () => {
      const { body } = await send('resource_create', { package_id: 'nope', url: '' }, { as: null, name: 'x.csv' });
      expect(body.error.__type).toBe('Authorization Error');
    });

    it('of several files of one name, with text fields between them', async () => {
      const before = await stored();
      for (const as of [editor, null]) {
        const { status } = await world.request('/api/3/action/resource_create', {
          method: 'POST',
          headers: { ...(as && { authorization: as.key }), 'content-type': 'multipart/form-data; boundary=b' },
          body: `${`${filePart('upload', 'x.csv', 'x')}${textPart('upload', 'y')}`.repeat(20)}${textPart('package_id', 'nope')}--b--\r\n`,
        });
        expect(status).toBe(as ? 400 : 200);
        expect(await stored()).toEqual(before);
      }
    });

    it('but a text field with the name of a file is ignored', async () => {
      const { body } = await world.request('/api/3/action/resource_create', {
        method: 'POST',
        headers: { authorization: editor.key, 'content-type': 'multipart/form-data; boundary=b' },
        body: `${filePart('upload', 'x.csv', 'kept')}${textPart('upload', 'y')}${textPart('package_id', datasetId)}${textPart('url', '')}--b--\r\n`,
      });
      expect((await download(body.result.url)).text).toBe('kept');
    });

    it('with an invalid upload token on /graphql', async () => {
      const query =
        'mutation($upload: UploadInput!, $dataset: ID!) { createResource(input: { dataset: $dataset, resource: { url: "" }, upload: $upload }) { errors { code path } } }';
      for (const token of ['../../secret', 'd9c9a1f4-0000-4000-8000-000000000000']) {
        const { body } = await world.graph(
          query,
          { dataset: datasetId, upload: { token, name: 'x.csv' } },
          { as: editor },
        );
        expect(body.data.createResource.errors).toEqual([{ code: 'VALIDATION', path: ['upload'] }]);
      }
    });
  });

  describe('the file of a resource', () => {
    it('is replaced, and the previous file is deleted', async () => {
      const before = await stored();
      const made = await upload({ content: 'first' });
      const etag = (await download(made.url)).headers.get('etag');
      const { body } = await send(
        'resource_update',
        { id: made.id, url: 'x', name: 'Replaced' },
        { name: 'second.tsv', content: 'second' },
      );
      expect(body.result).toMatchObject({
        url: expect.stringMatching(/\/download\/second\.tsv$/),
        name: 'Replaced',
        format: 'CSV',
      });
      const got = await download(made.url);
      expect([got.text, got.headers.get('etag') === etag]).toEqual(['second', false]);
      expect(await stored()).toHaveLength(before.length + 1);
    });

    it('stays if other fields change, also when another form of its URL is sent back', async () => {
      const made = await upload({ content: 'kept' });
      await world.result('resource_patch', { id: made.id, name: 'patched' }, { as: editor });
      for (const url of [made.url, 'data.csv', made.url.replace('catalog.test', 'inside:5000')]) {
        expect(await world.result('resource_update', { id: made.id, url }, { as: editor })).toMatchObject({
          url: made.url,
          url_type: 'upload',
        });
      }
      const dataset = await world.result('package_show', { id: datasetId });
      const after = await world.result('package_update', dataset, { as: editor });
      expect(after.resources).toEqual(
        dataset.resources.map((resource: object) => ({ ...resource, revision_id: expect.any(String) })),
      );
      expect((await download(made.url)).text).toBe('kept');
    });

    it('is deleted when cleared, and when its resource becomes a link or is deleted', async () => {
      const before = await stored();
      const cleared = await upload();
      expect((await send('resource_patch', { id: cleared.id, clear_upload: 'true' })).body.error).toMatchObject({
        url: ['Missing value'],
      });
      expect(
        (await send('resource_update', { id: cleared.id, url: 'http://plain.example/x', clear_upload: 'true' })).body
          .result,
      ).toMatchObject({ url: 'http://plain.example/x', url_type: '' });
      const linked = await upload();
      expect(
        await world.result('resource_update', { id: linked.id, url: 'http://plain.example/y' }, { as: editor }),
      ).toMatchObject({ url: 'http://plain.example/y', url_type: null });
      const deleted = await upload();
      await world.result('resource_delete', { id: deleted.id }, { as: editor });
      expect((await download(deleted.url)).status).toBe(404);
      expect(await stored()).toEqual(before);
      const followed = await download(linked.url);
      expect([followed.status, followed.headers.get('location')]).toEqual([302, 'http://plain.example/y']);
    });

    it('stays while the dataset is deleted, and is removed when it is purged', async () => {
      const before = await stored();
      const dataset = await world.make.dataset({ ownerOrganization: organizationId });
      const made = await upload({}, { package_id: dataset.id });
      await world.result('package_delete', { id: dataset.id }, { as: editor });
      expect(await stored()).toHaveLength(before.length + 1);
      expect((await download(made.url)).status).toBe(403);
      await world.graph(
        'mutation($id: ID!) { purgeDataset(input: { dataset: $id }) { errors { message } } }',
        { id: dataset.id },
        { as: await world.make.sysadmin() },
      );
      expect(await stored()).toEqual(before);
    });

    it('requires permission to read the dataset', async () => {
      const dataset = await world.make.dataset({ ownerOrganization: organizationId, private: true });
      const made = await upload({ content: 'secret' }, { package_id: dataset.id });
      expect([
        (await download(made.url)).status,
        (await download(made.url, { authorization: stranger.key })).status,
      ]).toEqual([403, 403]);
      expect((await download(made.url)).text).not.toContain('secret');
      const got = await download(made.url, { authorization: editor.key });
      expect([got.text, got.headers.get('cache-control')]).toEqual(['secret', 'private, no-cache']);
      expect(
        (
          await world.request(`/dataset/${datasetId}/resource/${made.id}/download`, {
            headers: { authorization: editor.key },
          })
        ).status,
      ).toBe(404);
    });
  });
});
