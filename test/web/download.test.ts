/** Downloads of files: ranges, conditional requests, and headers that keep scripts in a file from running on the site. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { onEachStore, type TestStore } from '../helpers/stores.ts';
import { createWorld, type World } from '../helpers/world.ts';

onEachStore((start) => {
  let store: TestStore;
  let world: World;
  let admin: TestUser;
  let datasetId: string;

  beforeAll(async () => {
    store = await start();
    world = await createWorld(store.settings);
    admin = await world.make.sysadmin();
    datasetId = (await world.make.dataset()).id;
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    await store?.stop();
  });

  /** A new resource with a file, as resource_create answers it. */
  async function upload({ name = 'data.csv', content = 'a,b\n1,2\n' } = {}) {
    const body = new FormData();
    body.append('package_id', datasetId);
    body.append('url', '');
    body.append('upload', new Blob([content]), name);
    const headers = { authorization: admin.key };
    return (await world.request('/api/3/action/resource_create', { method: 'POST', body, headers })).body.result;
  }

  const download = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
    world.request(new URL(url).pathname, { headers, method, redirect: 'manual' });

  describe('a download', () => {
    it('serves ranges, with Content-Range', async () => {
      const { url } = await upload({ content: '0123456789' });
      const etag = (await download(url, {}, 'HEAD')).headers.get('etag')!;
      const part = async (range: string, more = {}) => {
        const got = await download(url, { range, ...more });
        return [got.status, got.text, got.headers.get('content-range')];
      };
      expect(await part('bytes=2-4')).toEqual([206, '234', 'bytes 2-4/10']);
      expect(await part('bytes=7-')).toEqual([206, '789', 'bytes 7-9/10']);
      expect(await part('bytes=-3')).toEqual([206, '789', 'bytes 7-9/10']);
      expect(await part('bytes=-99')).toEqual([206, '0123456789', 'bytes 0-9/10']);
      expect(await part('bytes=8-99')).toEqual([206, '89', 'bytes 8-9/10']);
      expect(await part('bytes=10-')).toEqual([416, '', 'bytes */10']);
      expect(await part('bytes= 2 -\t4 ')).toEqual([206, '234', 'bytes 2-4/10']);
      const tabs = '\t'.repeat(7_000); // would take minutes if each tab were tried as the end of each range
      for (const whole of ['bytes=4-2', 'bytes=0-1,3-4', 'bytes=-', 'lines=1-2', 'bytes=a-b', `bytes=${tabs}-${tabs}-`])
        expect(await part(whole)).toEqual([200, '0123456789', null]);
      expect(await part('bytes=2-4', { 'if-range': etag })).toEqual([206, '234', 'bytes 2-4/10']);
      expect(await part('bytes=2-4', { 'if-range': '"another"' })).toEqual([200, '0123456789', null]);
    });

    it('answers conditional requests with 304', async () => {
      const { url } = await upload();
      const head = await download(url, {}, 'HEAD');
      expect([head.status, head.text, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
        200,
        '',
        '8',
        'bytes',
      ]);
      const [etag, modified] = [head.headers.get('etag')!, head.headers.get('last-modified')!];
      expect((await download(url, { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
      expect((await download(url, { 'if-modified-since': modified })).status).toBe(304);
      expect((await download(url, { 'if-none-match': '"x"', 'if-modified-since': modified })).status).toBe(200);
    });

    it.each([
      'page.html',
      'page.xhtml',
      'drawing.svg',
      'script.js',
      'module.mjs',
      'data.xml',
      'feed.atom',
      'nothing',
      'odd.unknown',
    ])('of %s does not run scripts in a browser', async (name) => {
      const { headers } = await download((await upload({ name, content: '<script>alert(1)</script>' })).url);
      expect(headers.get('content-type')).not.toMatch(/html|svg|javascript/);
      expect(headers.get('content-disposition')).toMatch(/^attachment;/);
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    });

    it('preserves the name of the file, escaped in the header', async () => {
      const { headers } = await download((await upload({ name: 'データ\'"; x.csv' })).url);
      expect(headers.get('content-disposition')).toMatch(
        /^inline; filename="[^"]*"; filename\*=UTF-8''[A-Za-z0-9%._~-]+$/,
      );
      expect(headers.get('content-disposition')).toContain('%E3%83%87%E3%83%BC%E3%82%BF');
    });

    it('answers with an HTML 404 page for an unknown file', async () => {
      const made = await upload();
      for (const path of [
        `/dataset/nope/resource/${made.id}/download/x`,
        `/dataset/${datasetId}/resource/nope/download/x.csv`,
        `/dataset/${datasetId}/resource/%00/download`,
      ]) {
        const got = await world.request(path);
        expect([got.status, got.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      }
    });
  });
});
