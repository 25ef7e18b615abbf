/** Serves the lists of organizations, groups, tags and users, and `/about`. */
import { Router } from 'express';
import { h } from 'preact';
import {
  type GroupListInput,
  PageAboutDocument,
  PageGroupsDocument,
  PageOrganizationsDocument,
  PageTagsDocument,
  PageUsersDocument,
} from '../../../src/generated/operations.ts';
import { AboutPage } from './about-page.tsx';
import { GroupsPage, TagsPage, UsersPage } from './lists-page.tsx';
import { type SiteOptions, type Visit, visiting } from './visit.ts';

const PER_PAGE = 24;

const SORTS: Readonly<Record<string, Pick<GroupListInput, 'sort' | 'descending'>>> = {
  'name asc': { sort: 'NAME' },
  'title asc': { sort: 'TITLE' },
  'package_count desc': { sort: 'DATASET_COUNT', descending: true },
};

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** URL with the parameters that are not empty. */
function href(path: string, params: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== '')).toString();
  return query ? `${path}?${query}` : path;
}

export function listsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (visit: Visit) => Promise<void>) => router.get(path, visiting(options, work));
  get('/organization', (v) => groupsPage(v, 'organization'));
  get('/group', (v) => groupsPage(v, 'group'));
  get('/tag', async ({ req, run, call, frame, page }) => {
    const { q, after } = { q: text(req.query.q), after: text(req.query.after) };
    const { tags } = await run(PageTagsDocument, { words: q ? q.split(/\s+/) : null, after: after || null }, call);
    page(h(TagsPage, { frame, q, list: tags, next: nextOf('/tag', q, tags.pageInfo) }));
  });
  get('/user', async ({ req, run, call, frame, page }) => {
    const { q, after } = { q: text(req.query.q), after: text(req.query.after) };
    const { users } = await run(PageUsersDocument, { text: q || null, after: after || null }, call);
    page(h(UsersPage, { frame, q, list: users, next: nextOf('/user', q, users.pageInfo) }));
  });
  get('/about', async ({ run, call, frame, page }) => {
    page(h(AboutPage, { frame, site: (await run(PageAboutDocument, {}, call)).site }));
  });
  return router;
}

const nextOf = (path: string, q: string, info: { hasNextPage: boolean; endCursor: string | null }): string | null =>
  info.hasNextPage ? href(path, { q, after: info.endCursor! }) : null;

async function groupsPage({ req, run, call, frame, page }: Visit, kind: 'organization' | 'group'): Promise<void> {
  const q = text(req.query.q);
  const sort = Object.hasOwn(SORTS, text(req.query.sort)) ? text(req.query.sort) : 'title asc';
  const number = Number(req.query.page);
  const current = Number.isInteger(number) && number > 1 && number < 10_000 ? number : 1;
  const variables = {
    text: q,
    isSearch: q !== '',
    input: { ...SORTS[sort], limit: PER_PAGE, offset: (current - 1) * PER_PAGE },
  };
  const { groups, count } =
    kind === 'organization'
      ? await run(PageOrganizationsDocument, variables, call).then((data) => ({
          groups: data.organizationSuggestions ?? data.organizationList ?? [],
          count: data.organizations.totalCount,
        }))
      : await run(PageGroupsDocument, variables, call).then((data) => ({
          groups: data.groupSuggestions ?? data.groupList ?? [],
          count: data.groups.totalCount,
        }));
  page(
    h(GroupsPage, {
      frame,
      kind,
      q,
      sort,
      page: current,
      pages: q ? 1 : Math.ceil(count / PER_PAGE),
      count,
      groups,
      href: ({ sort: order = sort, page: to = current }) =>
        href(`/${kind}`, { sort: order === 'title asc' ? '' : order, page: to > 1 ? String(to) : '' }),
    }),
  );
}
