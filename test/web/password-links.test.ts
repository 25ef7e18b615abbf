/** Every kind of link to choose a password, opened in a real browser, for each kind of site URL. */
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { firstAdministrator } from '../../src/cli/serve.ts';
import { passwordLink } from '../../src/cli/user-link.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { openAccount, openPage, type Page } from '../helpers/browser.ts';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const PICTURES = join(projectRoot, '.cache/pictures');
const HOST = 'data.town.test';

/** A proxy that replaces `Host` and can serve the site below a path. */
async function createProxy(to: () => string, prefix: string) {
  const server = http.createServer((req, res) => {
    if (!req.url!.startsWith(prefix)) return void res.writeHead(404).end('outside of the site');
    const target = new URL(to());
    const asked = http.request(
      {
        host: target.hostname,
        port: target.port,
        method: req.method,
        path: req.url!.slice(prefix.length) || '/',
        headers: { ...req.headers, host: target.host },
      },
      (answer) => {
        res.writeHead(answer.statusCode!, answer.rawHeaders);
        answer.pipe(res);
      },
    );
    asked.once('error', () => res.destroy());
    req.pipe(asked);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const end = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, end };
}

describeWith('chromium', chromium !== null, 'a password chosen by link', () => {
  describeAt('on this machine', 'localhost', null, true);
  describeAt('on this machine, without JavaScript', 'localhost', null, false);
  describeAt('on another host', HOST, null, true);
  describeAt('on another host, without JavaScript', HOST, null, false);
  describeAt('behind a proxy that replaces Host', HOST, '', true);
  describeAt('below a path', HOST, '/open/data', false);

  function describeAt(where: string, host: string, prefix: string | null, javaScriptEnabled: boolean): void {
    describeWith('chromium', true, where, () => {
      let world: World;
      let mailbox: Mailbox;
      let proxy: Awaited<ReturnType<typeof createProxy>> | null = null;
      let site: string;
      let page: Page;
      const catalog = () => ({ ...world, close: async () => {} });

      beforeAll(async () => {
        const port = await freePort();
        if (prefix !== null) proxy = await createProxy(() => world.base, prefix);
        site = `http://${host}:${proxy?.port ?? port}${prefix ?? ''}`;
        mailbox = await createMailbox();
        world = await createWorld({ ...mailbox.settings, 'catalog.port': port, 'catalog.site_url': site });
        page = await openPage(chromium as string, 'about:blank', { host, javaScriptEnabled });
        mkdirSync(PICTURES, { recursive: true });
      });
      afterAll(async () => {
        await page?.close();
        await world?.end();
        await proxy?.end();
        await mailbox?.end();
      });

      const fill = async (fields: Record<string, string>, button: string) => {
        for (const [label, text] of Object.entries(fields))
          await page.tab.getByLabel(label, { exact: true }).fill(text);
        await page.tab.getByRole('button', { name: button, exact: true }).click();
      };
      const at = () => page.tab.url().slice(site.length);
      const heading = () => page.tab.getByRole('heading', { level: 1 }).textContent();

      /** Opens the link, sets a password, logs in with it, sees the profile, and logs out. */
      async function walk(link: string, user: string, title: string): Promise<void> {
        expect(link.startsWith(`${site}/user/reset/`)).toBe(true);
        await page.tab.goto(link);
        expect(await heading()).toBe(title);
        await fill({ 'New password': 'short', 'New password again': 'short' }, 'Set the password');
        expect(await page.tab.locator('.fault').count()).toBe(1);
        const password = `long enough for ${user}`;
        await fill({ 'New password': password, 'New password again': password }, 'Set the password');
        expect([at(), await page.tab.getByRole('status').textContent()]).toEqual([
          '/user/login?notice=password',
          'Your password is set. You can log in now.',
        ]);
        await fill({ 'Name or e-mail address': user, Password: password }, 'Log in');
        expect(at()).toBe(`/user/${user}`);
        await page.tab.getByRole('button', { name: 'Log out on every device' }).click();
        expect([at(), await heading()]).toEqual(['/user/logged-out', 'Logged out']);
        await page.tab.goto(link);
        expect(await heading()).toBe('Not found'); // the link works once
      }
      const linkOf = (text: string | null | undefined) =>
        /http:\/\/\S+\/user\/reset\/\S+\?key=\S+/.exec(text ?? '')![0];

      it('sets a password by the link that the first start prints', async () => {
        await walk(linkOf(await firstAdministrator(catalog())), 'admin', 'A new password for admin');
      });

      it('sets a password by the link of `catalog user link`', async () => {
        await walk((await passwordLink(catalog(), 'admin')).url, 'admin', 'A new password for admin');
      });

      it('sets a password by an invitation', async () => {
        const admin = await world.make.sysadmin();
        const { id } = await world.result('organization_create', { name: 'office' }, { as: admin });
        const invited = { email: 'ina@example.com', group_id: id, role: 'editor' };
        const { name } = await world.result('user_invite', invited, { as: admin });
        await walk(linkOf((await mailbox.next()).text), name, `Welcome, ${name}`);
      });

      it('sets a password by a mailed link of the form "Reset your password", after registering', async () => {
        await page.tab.goto(`${site}/`);
        await page.tab.getByRole('link', { name: 'Register' }).click();
        const password = { Password: 'long enough', 'Password again': 'long enough' };
        await fill({ Name: 'ann', 'Full name': 'Ann', 'E-mail address': 'ann@example.com', ...password }, 'Register');
        expect([at(), await heading()]).toEqual(['/user/ann', 'Ann']);
        await openAccount(page.tab);
        await page.tab.getByRole('button', { name: 'Log out', exact: true }).click();
        await page.tab.getByRole('link', { name: 'Log in' }).click();
        await page.tab.getByRole('link', { name: 'Forgotten your password?' }).click();
        await fill({ 'Name or e-mail address': 'ann@example.com' }, 'Send the link');
        expect(await heading()).toBe('Check your mail');
        await walk(linkOf((await mailbox.next()).text), 'ann', 'A new password for Ann');
      });

      it('gives the key to no other origin, and shows a styled page without errors', async () => {
        await page.tab.goto((await passwordLink(catalog(), 'admin')).url);
        writeFileSync(join(PICTURES, `password-link-${where.replaceAll(/\W+/g, '-')}.png`), await page.picture());
        const foreign = page.requests.filter((url) => !url.startsWith(`${site}/`) && !/^(data|about):/.test(url));
        expect(foreign).toEqual([]);
        expect(page.problems.filter((text) => !/status of (404|422)/.test(text))).toEqual([]);
      });
    });
  }
});
