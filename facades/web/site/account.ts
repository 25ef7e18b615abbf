/** Login, logout, registration and password reset: `/user/login`, `/user/logout`, `/user/register`, `/user/reset`. */

import { type RequestHandler, Router } from 'express';
import { h } from 'preact';
import {
  PageLoginDocument,
  PageLogoutDocument,
  PagePasswordResetDocument,
  PageRegisterDocument,
  PageRequestPasswordResetDocument,
  PageResetPasswordDocument,
} from '../../../src/generated/operations.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import type { Faults } from './form.tsx';
import { messagePage } from './message.tsx';
import { ConfirmationPage, LoginPage, RegisterPage, RequestResetPage, ResetPage } from './sign-in.tsx';
import { FormRefusal, faultsOf, localPath, type SiteOptions, STATUS, type Visit, visiting } from './visit.ts';

/** Notices on the login page, selected by a key in the URL, so that a URL cannot inject text. */
const NOTICES: ReadonlyMap<string, 'account.noticePassword' | 'account.noticeNeeded'> = new Map([
  ['password', 'account.noticePassword'],
  ['needed', 'account.noticeNeeded'],
]);
/** Notices after a registration, by the parameter `sent`: the address of the mail is not in the URL. */
const isSent = (value: string): value is 'mail' | 'failed' => value === 'mail' || value === 'failed';
const REGISTER_FIELDS = ['name', 'fullName', 'email', 'password', 'repeated'];

type Visiting = (work: (visit: Visit) => Promise<void>) => RequestHandler;

const profileOf = (name: string): string => `/user/${encodeURIComponent(name)}`;

export function accountRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const visit: Visiting = (work) => visiting(options, work);
  addLogin(router, visit);
  addLogout(router, visit);
  addRegistration(router, visit, options);
  addResetRequest(router, visit);
  addReset(router, visit);
  return router;
}

function addLogin(router: Router, visit: Visiting): void {
  const login = (v: Visit, faults: Faults = {}, status = 200): void => {
    const cameFrom = localPath(v.form.came_from ?? v.req.query.came_from);
    const said = NOTICES.get(String(v.req.query.notice));
    const notice = said && v.frame.texts.t(said);
    const values = { login: v.form.login ?? '' };
    v.page(h(LoginPage, { frame: v.frame, cameFrom, faults, values, notice }), status);
  };
  router.get(
    '/user/login',
    visit(async (v) => {
      if (v.frame.viewer) return v.goTo(localPath(v.req.query.came_from) ?? profileOf(v.frame.viewer.name));
      login(v);
    }),
  );
  router.post(
    '/user/login',
    visit((v) =>
      refusing(
        [],
        (faults, status) => login(v, faults, status),
        async () => {
          const input = { login: v.form.login ?? '', password: v.form.password ?? '' };
          const { session } = (await v.run(PageLoginDocument, { input }, v.call)).login;
          v.sessions.signIn(v.res, session!);
          v.goTo(localPath(v.form.came_from) ?? profileOf(session!.user.name));
        },
      ),
    ),
  );
}

function addLogout(router: Router, visit: Visiting): void {
  router.get(
    '/user/logout',
    visit(async (v) => v.goTo(v.frame.viewer ? profileOf(v.frame.viewer.name) : '/user/logged-out')),
  );
  router.post(
    '/user/logout',
    visit(async (v) => {
      await v.run(PageLogoutDocument, { input: { everywhere: v.form.everywhere === 'true' } }, v.call);
      v.sessions.signOut(v.res);
      v.goTo('/user/logged-out');
    }),
  );
  router.get(
    '/user/logged-out',
    visit(async (v) => v.page(said(v, 'account.loggedOut', 'account.loggedOutText'))),
  );
}

function addRegistration(router: Router, visit: Visiting, options: SiteOptions): void {
  const register = (v: Visit, faults: Faults = {}, status = 200): void =>
    v.page(h(RegisterPage, { frame: v.frame, values: v.form, faults, confirmsEmail: options.confirmsEmail }), status);
  router.get(
    '/user/register',
    visit(async (v) => {
      if (!options.registration) return v.page(said(v, 'error.NOT_AUTHORIZED', 'account.registrationOff'), 403);
      const sent = String(v.req.query.sent);
      if (isSent(sent)) return v.page(h(ConfirmationPage, { frame: v.frame, sent }));
      register(v);
    }),
  );
  router.post(
    '/user/register',
    visit((v) =>
      refusing(
        REGISTER_FIELDS,
        (faults, status) => register(v, faults, status),
        async () => {
          const { name = '', email = '', password, repeated, fullName } = v.form;
          if (password !== repeated) throw different(v);
          const input = { name, email, password, fullName: fullName || null };
          const { session, mailed } = (await v.run(PageRegisterDocument, { input }, v.call)).register;
          if (!session) return v.goTo(`/user/register?sent=${mailed === true ? 'mail' : 'failed'}`);
          v.sessions.signIn(v.res, session);
          v.goTo(profileOf(session.user.name));
        },
      ),
    ),
  );
}

/** The page that asks for a mail with a link. */
function addResetRequest(router: Router, visit: Visiting): void {
  const request = (v: Visit, faults: Faults = {}, status = 200): void =>
    v.page(h(RequestResetPage, { frame: v.frame, values: v.form, faults }), status);
  router.get(
    '/user/reset',
    visit(async (v) => request(v)),
  );
  router.post(
    '/user/reset',
    visit((v) =>
      refusing(
        ['user'],
        (faults, status) => request(v, faults, status),
        async () => {
          await v.run(PageRequestPasswordResetDocument, { input: { user: v.form.user ?? '' } }, v.call);
          v.page(said(v, 'account.checkMail', 'account.checkMailText'));
        },
      ),
    ),
  );
}

/** The page that the link in the mail leads to. */
function addReset(router: Router, visit: Visiting): void {
  const reset = async (v: Visit, faults: Faults = {}, status = 200): Promise<void> => {
    const key = String(v.req.query.key ?? '');
    const { passwordReset: found } = await v.run(PagePasswordResetDocument, { key }, v.call);
    if (!found) return v.page(linkUsed(v), 404);
    const action = `/user/reset/${encodeURIComponent(v.req.params.id!)}?key=${encodeURIComponent(key)}`;
    const { invitation, user } = found;
    const props = { frame: v.frame, faults, action, invitation, name: user.displayName };
    v.page(h(ResetPage, props), status);
  };
  router.get(
    '/user/reset/:id',
    visit((v) => reset(v)),
  );
  router.post(
    '/user/reset/:id',
    visit((v) =>
      refusing(
        ['password', 'repeated'],
        (faults, status) => reset(v, faults, status),
        async () => {
          const { password = '', repeated } = v.form;
          if (password !== repeated) throw different(v);
          await v.run(PageResetPasswordDocument, { input: { key: String(v.req.query.key ?? ''), password } }, v.call);
          v.goTo('/user/login?notice=password');
        },
      ),
    ),
  );
}

const said = ({ frame }: Visit, title: PlainTitle, text: PlainText) =>
  messagePage(frame, frame.texts.t(title), frame.texts.t(text));

type PlainTitle = 'account.loggedOut' | 'account.checkMail' | 'error.NOT_AUTHORIZED';
type PlainText = 'account.loggedOutText' | 'account.checkMailText' | 'account.registrationOff';

const linkUsed = ({ frame }: Visit) =>
  messagePage(
    frame,
    frame.texts.t('error.NOT_FOUND'),
    frame.texts.rich('account.linkUsed', { link: (text) => h('a', { href: '/user/reset' }, text) }),
  );

export const different = ({ frame }: Visit): CatalogError =>
  new FormRefusal('VALIDATION', '', [{ path: ['repeated'], message: frame.texts.t('account.different') }]);

/** Runs the action of a form. On a refusal, shows the form again with its errors and values. */
export async function refusing(
  fields: readonly string[],
  again: (faults: Faults, status: number) => void | Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || thrown.kind === 'NOT_FOUND') throw thrown;
    await again(faultsOf(thrown, fields), STATUS[thrown.kind]);
  }
}
