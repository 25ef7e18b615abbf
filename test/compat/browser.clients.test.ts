/** Apollo Client in a real browser, on a page of another origin: CORS, headers of developer tools, and a subscription. */

import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { installNpm } from '../../scripts/npm.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage, type Page } from '../helpers/browser.ts';
import { type ForeignPage, serveForeignPage } from '../helpers/foreign-page.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium = ensureChromium() as string | null;

describeWith('Chromium', chromium !== null, 'a page of another origin', () => {
  let world: World;
  let admin: TestUser;
  let site: ForeignPage;
  let page: Page;
  let folder: string;
  beforeAll(async () => {
    world = await createWorld();
    admin = await world.make.sysadmin();
    await world.result('package_create', { name: 'levels', title: 'Levels' }, { as: admin });
    const packages = await installNpm({
      '@apollo/client': '4.3.8',
      graphql: '16.15.0',
      'graphql-ws': '6.4.2',
      rxjs: '7.8.2',
    });
    folder = mkdtempSync(join(projectRoot, '.cache', 'browser-'));
    cpSync(join(projectRoot, 'test/compat/clients/browser'), folder, { recursive: true });
    symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
    site = await serveForeignPage(folder, 'dashboard.js');
    page = await openPage(chromium as string, site.url);
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await page?.close();
    site?.close();
    await world?.end();
    if (folder) rmSync(folder, { recursive: true });
  });

  it('reads, updates and subscribes with Apollo Client, whose cache shows the update', async () => {
    const sent: Record<string, string>[] = [];
    page.tab.on('request', (request) => request.method() === 'POST' && sent.push(request.headers()));
    const call = `run(${JSON.stringify(`${world.base}/graphql`)}, ${JSON.stringify(admin.key)}, 'levels')`;
    expect(await page.evaluate(call)).toEqual({
      before: 'Levels',
      errors: [],
      cached: 'Changed from another site',
      operation: 'UPDATED',
    });
    expect(page.problems).toEqual([]);
    expect(sent).toHaveLength(3);
    for (const headers of sent)
      expect(headers).toMatchObject({
        'apollographql-client-name': 'dashboard',
        'apollographql-client-version': '1.2.3',
        'x-of-tomorrow': '1',
      });
  });

  it('cannot send the cookies of a user', async () => {
    expect(await page.evaluate(`withCookies(${JSON.stringify(`${world.base}/graphql`)})`)).toBe('refused');
  });
});
