/** Serves `/user/<name>` and its forms. `/user/me` and `/user/apikey` redirect to it. */

import { Router } from 'express';
import { h } from 'preact';
import {
  PageChangePasswordDocument,
  PageCreateTokenDocument,
  PageGenerateApiKeyDocument,
  PageProfileDocument,
  PageRevokeTokenDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized, notFound } from '../../../src/kernel/errors.ts';
import { different, refusing } from './account.ts';
import type { Faults } from './form.tsx';
import { positionOf } from './pagination.tsx';
import { ProfilePage } from './profile-page.tsx';
import { first as firstOf } from './search-query.ts';
import { type SiteOptions, type Visit, visiting } from './visit.ts';

const NOTICES: ReadonlyMap<string, 'user.noticeKey' | 'user.noticeToken' | 'user.noticePassword'> = new Map([
  ['key', 'user.noticeKey'],
  ['token', 'user.noticeToken'],
  ['password', 'user.noticePassword'],
]);
const SCOPES = ['READ', 'WRITE', 'ADMIN'] as const;
const DAY = 86_400;
/** Datasets of a user on one page. */
const PER_PAGE = 100;
const PASSWORD_FIELDS = ['currentPassword', 'newPassword', 'repeated'];

export function profileRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit = (work: (visit: Visit) => Promise<void>) => visiting(options, work);
  const addressOf = (name: string) => `/user/${encodeURIComponent(name)}`;

  async function show(v: Visit, faults: Faults = {}, status = 200, secret?: string): Promise<void> {
    const after = firstOf(v.req.query.after);
    const isSignedIn = v.frame.viewer !== null;
    const first = Math.min(PER_PAGE, options.rows);
    const variables = { name: v.req.params.name!, first, after: after || null, isSignedIn };
    const { user } = await v.run(PageProfileDocument, variables, v.call);
    if (!user || user.state === 'deleted') throw notFound('no such user.');
    const said = NOTICES.get(String(v.req.query.notice));
    const notice = said && v.frame.texts.t(said);
    const page = positionOf(addressOf(user.name), { after }, user.datasets.pageInfo);
    v.page(
      h(ProfilePage, { frame: v.frame, user, page, faults, notice, secret, values: secret ? {} : v.form }),
      status,
    );
  }

  /** Redirects to the caller's own page, through the login when needed. */
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
    '/user/:name/tokens',
    visit((v) =>
      refusing(
        ['name'],
        (faults, status) => show(v, faults, status),
        async () => {
          const scope = SCOPES.find((it) => it === v.form.scope) ?? 'READ';
          const expiresIn = Number(v.form.days) > 0 ? Number(v.form.days) * DAY : null;
          const { name = '', password: currentPassword = '' } = v.form;
          const input = { user: v.req.params.name!, name, scope, expiresIn, currentPassword };
          const { created } = (await v.run(PageCreateTokenDocument, { input }, v.call)).createToken;
          await show(v, {}, 200, created!.secret!); // no redirect: only this response contains the token
        },
      ),
    ),
  );
  router.post(
    '/user/:name/tokens/revoke',
    visit(async (v) => {
      await v.run(PageRevokeTokenDocument, { input: { id: v.form.id ?? '' } }, v.call);
      v.goTo(`${addressOf(v.req.params.name!)}?notice=token#tokens`);
    }),
  );
  router.post(
    '/user/:name/password',
    visit((v) =>
      refusing(
        PASSWORD_FIELDS,
        (faults, status) => show(v, faults, status),
        async () => {
          if (v.frame.viewer?.name !== v.req.params.name) throw notAuthorized('you may change only your own password');
          const { currentPassword = '', newPassword = '', repeated } = v.form;
          if (newPassword !== repeated) throw different(v);
          await v.run(PageChangePasswordDocument, { input: { currentPassword, newPassword } }, v.call);
          v.goTo(`${addressOf(v.req.params.name!)}?notice=password#password`);
        },
      ),
    ),
  );
  return router;
}
