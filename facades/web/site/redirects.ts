/** Redirects URLs of CKAN's pages, which are in bookmarks and search engines, to the pages of this site. */
import { Router } from 'express';
import { prefixOf } from '../../shared/locale.ts';

const name = (value: string | undefined): string => encodeURIComponent(value ?? '');

/** Old path → new path. */
const MOVED: Readonly<Record<string, (params: Readonly<Record<string, string>>) => string>> = {
  '/package': () => '/dataset',
  '/package/:name': (at) => `/dataset/${name(at.name)}`,
  '/dataset/search': () => '/dataset',
  '/dataset/new_resource/:name': (at) => `/dataset/${name(at.name)}/resource/new`,
  '/dataset/:name/resource_edit/:id': (at) => `/dataset/${name(at.name)}/resource/${name(at.id)}/edit`,
  '/dataset/:name/resource_delete/:id': (at) => `/dataset/${name(at.name)}/resource/${name(at.id)}/delete`,
  '/groups': () => '/group',
  '/organizations': () => '/organization',
  '/organization/list': () => '/organization',
  '/group/list': () => '/group',
  '/tag/:name': (at) => `/dataset?tags=${name(at.name)}`,
  '/apps': () => '/related',
  '/related/dashboard': () => '/related',
  '/login': () => '/user/login',
  '/user/_logout': () => '/',
  '/user/list': () => '/user',
};

/** The same for pages that can return to their old path. */
const MOVED_FOR_NOW: typeof MOVED = {
  '/dataset/history/:name': (at) => `/dataset/activity/${name(at.name)}`,
  '/dataset/followers/:name': (at) => `/dataset/${name(at.name)}`,
  '/organization/member_new/:name': (at) => `/organization/members/${name(at.name)}`,
  '/organization/history/:name': (at) => `/organization/activity/${name(at.name)}`,
  '/organization/admins/:name': (at) => `/organization/members/${name(at.name)}`,
  '/group/member_new/:name': (at) => `/group/members/${name(at.name)}`,
  '/group/history/:name': (at) => `/group/activity/${name(at.name)}`,
  '/group/admins/:name': (at) => `/group/members/${name(at.name)}`,
  '/group/followers/:name': (at) => `/group/${name(at.name)}`,
  '/user/followers/:name': (at) => `/user/${name(at.name)}`,
  '/user/dashboard': () => '/dashboard',
  '/user/dashboard/:part': (at) => `/dashboard/${name(at.part)}`,
  '/user/logged_out': () => '/user/logged-out',
  '/user/logged_out_redirect': () => '/user/logged-out',
  '/revision': () => '/activity',
  '/revision/list': () => '/activity',
};

/** `root`: path of the site behind a proxy. Preserves the query, unless the new path has one. */
export function redirectsRouter(root: string): Router {
  const router = Router({ caseSensitive: true });
  for (const [status, table] of [
    [301, MOVED],
    [302, MOVED_FOR_NOW],
  ] as const)
    for (const [path, target] of Object.entries(table))
      router.get(path, (req, res) => {
        const to = target(req.params as Record<string, string>);
        const query = req.url.slice(req.path.length);
        const language = prefixOf(req);
        res.redirect(status, root + (language && `/${language}`) + to + (/[?#]/.test(to) ? '' : query));
      });
  return router;
}
