/** Organizations, groups, members, profiles and the administration, in a browser with and without JavaScript. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openAccount, openPage, type Page } from '../helpers/browser.ts';
import { IMAGES } from '../helpers/images.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');
const PASSWORD = 'correct horse';

describeWith('chromium', chromium !== null, 'in a browser', () => {
  describe.each([false, true])('with JavaScript: %s', (javaScriptEnabled) => {
    let world: World;
    let page: Page;
    beforeAll(async () => {
      const port = await freePort();
      const at = { 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` };
      world = await createWorld({ 'catalog.site_title': 'Data of Town', ...at });
      const as = await world.make.sysadmin();
      for (const name of ['ann', 'ben'])
        await world.result('user_create', { name, email: `${name}@example.org`, password: PASSWORD }, { as });
      page = await openPage(chromium!, `${world.base}/organization/new`, { javaScriptEnabled });
      page.tab.setDefaultTimeout(15_000);
      mkdirSync(PICTURES, { recursive: true });
      await logIn('ann');
    });
    afterAll(async () => {
      await page?.close();
      await world?.end();
    });

    const path = () => new URL(page.tab.url()).pathname;
    const press = (name: string) => page.tab.getByRole('button', { name, exact: true }).click();
    const follow = (name: string) => page.tab.getByRole('link', { name, exact: true }).first().click();
    const go = (to: string) => page.tab.goto(world.base + to);
    const fill = async (fields: Record<string, string>) => {
      for (const [label, text] of Object.entries(fields)) await page.tab.getByLabel(label, { exact: true }).fill(text);
    };
    const show = (action: string, id: string) => world.result(action, { id });
    const logIn = async (name: string) => {
      await fill({ 'Name or e-mail address': name, Password: PASSWORD });
      await press('Log in');
    };
    async function pictures(name: string) {
      if (javaScriptEnabled) return;
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.tab.emulateMedia({ colorScheme });
        for (const width of [390, 1440]) {
          await page.tab.setViewportSize({ width, height: 800 });
          const picture = await page.tab.screenshot({ fullPage: true });
          writeFileSync(join(PICTURES, `manage-${name}-${width}-${colorScheme}.png`), picture);
        }
      }
    }

    it('leads through the login to the form of an organization, and derives its name', async () => {
      expect(path()).toBe('/organization/new');
      await fill({ Title: 'Town of Kew', Description: 'Publishes **levels**.' });
      await fill({ 'Name of custom field 1': 'seat', 'Value of custom field 1': 'Kew\nRiverside' });
      await page.tab
        .getByLabel('Upload a picture')
        .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: IMAGES.png });
      await pictures('organization-new');
      await press('Create');
      expect(path()).toBe('/organization/town-of-kew');
      const organization = await show('organization_show', 'town-of-kew');
      expect(organization).toMatchObject({ title: 'Town of Kew', extras: [{ key: 'seat', value: 'Kew\nRiverside' }] });
      expect(organization.image_url).toMatch(/logo\.png$/);
      await pictures('organization');
    });

    it('refuses an invalid picture and a taken name beside their fields', async () => {
      await go('/group/new');
      await fill({ 'Name in the URL': 'town-of-kew' });
      await page.tab
        .getByLabel('Upload a picture')
        .setInputFiles({ name: 'x.png', mimeType: 'image/png', buffer: Buffer.from('text') });
      await press('Create');
      const marked = await page.tab
        .locator('[aria-invalid=true]')
        .evaluateAll((all) => all.map((it) => it.getAttribute('name')));
      expect(marked).toEqual(['name', 'files']);
      await pictures('faults');
      await fill({ 'Name in the URL': 'water', Title: 'Water' });
      await press('Create');
      expect(path()).toBe('/group/water');
    });

    it('adds a member, changes the role, and removes the member', async () => {
      const roles = async () =>
        (await show('organization_show', 'town-of-kew')).users.map((user: any) => [user.name, user.capacity]);
      await go('/organization/town-of-kew');
      await follow('Manage members');
      await fill({ User: 'nobody-here' });
      await press('Add');
      expect(await page.tab.getByLabel('User', { exact: true }).inputValue()).toBe('nobody-here');
      await fill({ User: 'ben' });
      await page.tab.getByLabel('Role', { exact: true }).selectOption('member');
      await press('Add');
      expect(await roles()).toEqual([
        ['ann', 'admin'],
        ['ben', 'member'],
      ]);
      await page.tab.getByLabel('Role of ben', { exact: true }).selectOption('editor');
      await press('Save the role of ben');
      expect((await roles())[1]).toEqual(['ben', 'editor']);
      await pictures('members');
      await press('Remove ben');
      expect(await roles()).toEqual([['ann', 'admin']]);
    });

    it('shows both versions of an organization that two people edit', async () => {
      await go('/organization/edit/town-of-kew');
      const { tab } = page;
      const storageState = await tab.context().storageState();
      const window = await tab.context().browser()!.newContext({ storageState, javaScriptEnabled });
      const other = await window.newPage();
      await other.goto(tab.url());
      await other.getByLabel('Title', { exact: true }).fill('Theirs');
      await other.getByLabel('Value of custom field 1').fill('Richmond');
      await other.getByRole('button', { name: 'Save' }).click();
      await other.waitForURL(/\/organization\/town-of-kew$/);
      await window.close();
      await fill({ Description: 'Mine' });
      await press('Save');
      expect(await tab.locator('legend').allTextContents()).toEqual(['Title', 'Description', 'Custom fields']);
      const chosen = await tab.locator('input:checked').evaluateAll((all) => all.map((it) => it.getAttribute('value')));
      expect(chosen).toEqual(['theirs', 'mine', 'theirs']);
      await pictures('conflict');
      await press('Save');
      expect(await show('organization_show', 'town-of-kew')).toMatchObject({
        title: 'Theirs',
        description: 'Mine',
        extras: [{ key: 'seat', value: 'Richmond' }],
      });
    });

    it('makes datasets private or public in bulk, and deletes them after a confirmation', async () => {
      const as = (await world.make.sysadmin()) as never;
      for (const name of ['one', 'two', 'three'])
        await world.result('package_create', { name, owner_org: 'town-of-kew' }, { as });
      const states = async () => {
        const all = ['one', 'two', 'three'].map((id) => world.result('package_show', { id }, { as }));
        return (await Promise.all(all)).map((dataset) => (dataset.private ? 'private' : dataset.state));
      };
      await go('/organization/town-of-kew');
      await follow('Change datasets');
      await press('Make private');
      expect(await page.tab.getByRole('alert').textContent()).toMatch(/Choose datasets/);
      await page.tab.getByLabel('one', { exact: true }).check();
      await page.tab.getByLabel('two', { exact: true }).check();
      await pictures('bulk');
      await press('Make private');
      expect(await states()).toEqual(['private', 'private', 'active']);
      await page.tab.getByLabel('two', { exact: true }).check();
      await press('Make public');
      expect(await page.tab.getByRole('status').textContent()).toBe('1 dataset was changed.');
      expect(await states()).toEqual(['private', 'active', 'active']);
      await page.tab.getByLabel('three', { exact: true }).check();
      await press('Delete');
      expect(await states()).toEqual(['private', 'active', 'active']);
      expect(await page.tab.locator('main li').allTextContents()).toEqual(['three']);
      await press('Delete');
      expect(await states()).toEqual(['private', 'active', 'deleted']);
    });

    it('adds a dataset to a group and removes it', async () => {
      await go('/dataset/groups/two');
      await page.tab.getByLabel('Add to a group').selectOption('water');
      await press('Add');
      expect((await show('package_show', 'two')).groups).toMatchObject([{ name: 'water' }]);
      await pictures('dataset-groups');
      await press('Remove Water');
      expect((await show('package_show', 'two')).groups).toEqual([]);
    });

    it('follows and unfollows datasets, groups, organizations and users', async () => {
      for (const at of ['/dataset/two', '/group/water', '/organization/town-of-kew', '/user/ben']) {
        await go(at);
        await press('Follow');
        expect(await page.tab.getByText('1 follower').count()).toBe(1);
        await press('Unfollow');
        expect(await page.tab.getByText('1 follower').count()).toBe(0);
      }
      await go('/dataset/two');
      await pictures('dataset');
      await go('/user/ann');
      expect(await page.tab.getByRole('button', { name: 'Follow' }).count()).toBe(0);
    });

    it('edits the profile with a picture', async () => {
      await go('/user/edit');
      await fill({ 'Full name': 'Ann of Kew', About: 'Measures levels.' });
      await page.tab
        .getByLabel('Upload a picture')
        .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: IMAGES.png });
      await pictures('profile-edit');
      await press('Save');
      expect(path()).toBe('/user/ann');
      expect(await page.tab.locator('h1').textContent()).toBe('Ann of Kew');
      await pictures('profile');
      await follow('Edit profile');
      await fill({ Picture: '', 'E-mail address': '' });
      await page.tab.locator('form.wide').evaluate((form: any) => (form.noValidate = true));
      await press('Save');
      expect(await page.tab.locator('[aria-invalid=true]').getAttribute('name')).toBe('email');
      await fill({ 'E-mail address': 'ann@town.example' });
      await press('Save');
      expect((await show('user_show', 'ann')).about).toBe('Measures levels.');
    });

    it("has a dashboard with news and the user's datasets, organizations and groups", async () => {
      await go('/dataset/new?organization=town-of-kew');
      await fill({ Title: 'My draft' });
      await press('Save as draft');
      await openAccount(page.tab);
      await follow('Dashboard');
      await pictures('dashboard');
      await follow('My datasets');
      await follow('My draft');
      await openAccount(page.tab);
      await follow('Dashboard');
      await follow('My organizations');
      await follow('Theirs');
      expect(path()).toBe('/organization/town-of-kew');
      await go('/dashboard/groups');
      await follow('Water');
      expect(path()).toBe('/group/water');
    });

    it('deletes and restores an organization', async () => {
      await go('/organization/town-of-kew');
      await follow('Delete');
      await press('Delete');
      expect(path()).toBe('/organization');
      await go('/organization/town-of-kew');
      await press('Restore');
      expect((await show('organization_show', 'town-of-kew')).state).toBe('active');
    });

    it('administers the site', async () => {
      await world.database.db.user.update({ where: { name: 'ann' }, data: { sysadmin: true } });
      await go('/');
      await openAccount(page.tab);
      await follow('Administration');
      await follow('All users');
      await press('Make administrator: ben');
      await pictures('admin-users');
      expect((await show('user_show', 'ben')).sysadmin).toBe(true);
      await press('Take away administrator rights: ben');
      await follow('All users');
      await press('Delete: ben');
      await press('Delete');
      await follow('Deleted users');
      await press('Restore: ben');
      expect((await show('user_show', 'ben')).state).toBe('active');
      await follow('Settings');
      await fill({ 'catalog.site_title': 'Data of Kew' });
      await pictures('admin-settings');
      await press('Save');
      expect(await page.tab.title()).toMatch(/Data of Kew$/);
      await follow('Reset all settings');
      await press('Reset');
      expect(await page.tab.title()).toMatch(/Data of Town$/);
    });

    it('restores and purges items in the trash', async () => {
      await follow('Trash');
      await pictures('admin-trash');
      await press('Restore three');
      expect((await show('package_show', 'three')).state).toBe('active');
      await go('/group/delete/water');
      await press('Delete');
      await go('/ckan-admin/trash');
      await press('Purge Water');
      await pictures('admin-purge');
      await press('Purge');
      await page.tab.waitForURL(/\/trash$/);
      expect((await world.action('group_show', { id: 'water' })).body.error.message).toBe('Not found');
    });

    it('reports no error of a script or a policy', () => {
      expect(page.problems.filter((text) => !/status of (401|403|409|422)/.test(text))).toEqual([]);
    });
  });
});
