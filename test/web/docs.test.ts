import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of <b>Town</b>', 'catalog.action_api.status': 'http' });
});
afterAll(() => world.end());

describe('openapi.json', () => {
  it('is public, has the address of the site, and is revalidated by its ETag', async () => {
    const { status, headers, body } = await world.request('/openapi.json');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json;charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://catalog.test' }] });
    expect(body.info.title).toBe('Data of <b>Town</b> – API');
    const etag = headers.get('etag') as string;
    const again = await world.request('/openapi.json', { headers: { 'if-none-match': etag } });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
  });

  it('lists the statuses of the site', async () => {
    const { body } = await world.request('/openapi.json');
    const { responses } = body.paths['/api/3/action/package_show'].get;
    expect(Object.keys(responses)).toEqual(['200', '304', '400', '403', '404', '409', '503']);
  });
});

describe('the page', () => {
  it('has no inline script and nothing from other hosts', async () => {
    const { status, headers, text } = await world.request('/api/docs');
    expect(status).toBe(200);
    expect(text).toContain('<title>Data of &#60;b&#62;Town&#60;/b&#62; – API</title>');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'self';/);
    expect(text).not.toMatch(/https?:|<script>|<style|javascript:|\son\w+=/);
  });

  it('has files that exist and may be cached permanently, and serves no others', async () => {
    const { text } = await world.request('/api/docs');
    const paths = [...text.matchAll(/(?:src|href)="\.\.\/(static[^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(paths).toHaveLength(4);
    for (const path of paths) {
      const answer = await world.request(path);
      expect({ path, status: answer.status }).toEqual({ path, status: 200 });
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(answer.text).not.toContain('sourceMappingURL');
    }
    expect((await world.request(paths[0]!.replace(/[^/]+$/, 'package.json'))).status).toBe(404);
  });
});

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'in a browser', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openPage(chromium as string, `${world.base}/api/docs`);
  });
  afterAll(() => page?.close());

  const click = (selector: string) => page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const open = async (tag: string, id: string): Promise<void> => {
    await click(`#operations-tag-${tag}`);
    await page.until(`document.querySelector('[id$="-${id}"] .opblock-summary-control')`);
    await click(`[id$="-${id}"] .opblock-summary-control`);
    await page.until(`document.querySelector('[id$="-${id}"] .try-out__btn')`);
    await click(`[id$="-${id}"] .try-out__btn`);
    await page.until(`document.querySelector('[id$="-${id}"] .execute')`);
  };

  it('lists the features', async () => {
    await page.until(`document.querySelectorAll('.opblock-tag').length > 5`);
    await page.until(`document.querySelector('#operations-tag-Datasets')?.innerText.includes('Metadata about data')`);
  });

  it('tries an action and shows its answer', async () => {
    await open('Site', 'status_show');
    await click('[id$="-status_show"] .execute');
    await page.until(
      `document.querySelector('[id$="-status_show"] .live-responses-table')?.innerText.includes('Data of <b>Town</b>')`,
    );
  });

  it('sends the API key that was entered under Authorize', async () => {
    const admin = await world.make.sysadmin();
    await page.evaluate(`document.querySelector('.auth-wrapper .authorize').click()`);
    await page.until(`document.querySelector('.auth-container input')`);
    await page.evaluate(`(() => {
      const input = document.querySelector('.auth-container input');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(admin.key)});
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
    await click('.auth-container .authorize');
    await page.until(`document.querySelector('.auth-container .btn-done')`);
    await click('.auth-container .btn-done');
    await open('Users', 'get_site_user');
    await click('[id$="-get_site_user"] .execute');
    await page.until(
      `document.querySelector('[id$="-get_site_user"] .live-responses-table')?.innerText.includes('"apikey"')`,
    );
  });

  it('requests nothing from other hosts, and reports no error', () => {
    expect(page.problems).toEqual([]);
    expect(page.requests.length).toBeGreaterThan(4);
    expect(page.requests.filter((url) => !url.startsWith(`${world.base}/`) && !url.startsWith('data:'))).toEqual([]);
  });
});
