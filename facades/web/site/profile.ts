/** Pages of users: `/user/<name>` and what its forms do. `/user/me` and `/user/apikey` lead there. */
import { Router } from 'express';
import { h } from 'preact';
import {
  PageChangePasswordDocument,
  PageGenerateApiKeyDocument,
  PageProfileDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { different, refusing } from './account.ts';
import type { Faults } from './form.tsx';
import { ProfilePage } from './profile-page.tsx';
import { type SiteOptions, type Visit, visiting } from './visit.ts';

const NOTICES: Readonly<Record<string, string>> = {
  key: 'This is the new key. The old one is refused from now on.',
  password: 'The password is changed. Other sessions of yours have ended.',
};
const PASSWORD_FIELDS = ['currentPassword', 'newPassword', 'repeated'];

export function profileRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, work);
  const addressOf = (name: string) => `/user/${encodeURIComponent(name)}`;

  async function show(v: Visit, faults: Faults = {}, status = 200): Promise<void> {
    const { user } = await v.run(PageProfileDocument, { name: v.req.params.name! }, v.call);
    if (!user || user.state === 'deleted') throw notFound('there is no such user.');
    const notice = NOTICES[String(v.req.query.notice)];
    v.page(h(ProfilePage, { frame: v.frame, user, faults, notice }), status);
  }

  /** The caller's own page, by way of the login. */
  const toOwn = (part: string) =>
    visit(async (v) => {
      const { viewer } = v.frame;
      const back = encodeURIComponent(v.req.url ?? '/');
      v.goTo(viewer ? addressOf(viewer.name) + part : `/user/login?notice=needed&came_from=${back}`);
    });
  router.get('/user/me', toOwn(''));
  router.get('/user/apikey', toOwn('#key'));
  router.get(
    '/user/:name',
    visit((v) => show(v)),
  );
  router.post(
    '/user/:name/apikey',
    visit(async (v) => {
      await v.run(PageGenerateApiKeyDocument, { input: { user: v.req.params.name! } }, v.call);
      v.goTo(`${addressOf(v.req.params.name!)}?notice=key#key`);
    }),
  );
  router.post(
    '/user/:name/password',
    visit((v) =>
      refusing(
        PASSWORD_FIELDS,
        (faults, status) => show(v, faults, status),
        async () => {
          if (v.frame.viewer?.name !== v.req.params.name) throw notAuthorized('only of one’s own account.');
          const { currentPassword = '', newPassword = '', repeated } = v.form;
          if (newPassword !== repeated) throw different();
          await v.run(PageChangePasswordDocument, { input: { currentPassword, newPassword } }, v.call);
          v.goTo(`${addressOf(v.req.params.name!)}?notice=password#password`);
        },
      ),
    ),
  );
  return router;
}
