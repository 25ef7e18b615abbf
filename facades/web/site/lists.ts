/** Serves the lists of organizations, groups, tags and users, and `/about`, `/stats` and `/revision/<id>`. */
import { Router } from 'express';
import { h } from 'preact';
import {
  type GroupListInput,
  PageAboutDocument,
  PageGroupsDocument,
  PageOrganizationsDocument,
  PageRevisionDocument,
  PageStatisticsDocument,
  PageTagsDocument,
  PageUsersDocument,
} from '../../../src/generated/operations.ts';
import { AboutPage } from './about-page.tsx';
import { DEFAULT_SORT, GroupsPage, TagsPage, UsersPage } from './lists-page.tsx';
import { positionOf } from './pagination.tsx';
import { RevisionPage } from './revision-page.tsx';
import { first as firstOf, hrefOf, pageNumber, pageParam } from './search-query.ts';
import { StatsPage } from './stats-page.tsx';
import { type SiteOptions, type Visit, visiting } from './visit.ts';

const PER_PAGE = 24;
/** Items of a list that is read by cursor. */
const PER_LIST = 100;
/** Items of each list of the statistics. */
const PER_STATISTIC = 10;

const SORTS: Readonly<Record<string, Pick<GroupListInput, 'sort' | 'descending'>>> = {
  'name asc': { sort: 'NAME' },
  'title asc': { sort: 'TITLE' },
  'package_count desc': { sort: 'DATASET_COUNT', descending: true },
};

export function listsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (visit: Visit) => Promise<void>) => router.get(path, visiting(options, work));
  const first = Math.min(PER_LIST, options.rows);
  get('/organization', (v) => groupsPage(v, 'organization'));
  get('/group', (v) => groupsPage(v, 'group'));
  get('/tag', async ({ req, run, call, frame, page }) => {
    const { q, after } = keysetOf(req.query);
    const words = q ? q.split(/\s+/) : null;
    const variables = { words, first, after: after || null, language: frame.texts.translation };
    const { tags } = await run(PageTagsDocument, variables, call);
    page(h(TagsPage, { frame, q, list: tags, page: positionOf('/tag', { q, after }, tags.pageInfo) }));
  });
  get('/user', async ({ req, run, call, frame, page }) => {
    const { q, after } = keysetOf(req.query);
    const { users } = await run(PageUsersDocument, { text: q || null, first, after: after || null }, call);
    page(h(UsersPage, { frame, q, list: users, page: positionOf('/user', { q, after }, users.pageInfo) }));
  });
  get('/stats', async ({ run, call, frame, page, rows }) => {
    const variables = { first: Math.min(PER_STATISTIC, rows) };
    page(h(StatsPage, { frame, data: await run(PageStatisticsDocument, variables, call) }));
  });
  get('/revision/:id', async ({ req, run, call, frame, page }) => {
    const { revision } = await run(PageRevisionDocument, { id: req.params.id! }, call);
    page(h(RevisionPage, { frame, revision }));
  });
  get('/about', async ({ run, call, frame, page }) => {
    page(h(AboutPage, { frame, site: (await run(PageAboutDocument, {}, call)).site }));
  });
  return router;
}

const keysetOf = (query: Visit['req']['query']) => ({ q: firstOf(query.q).trim(), after: firstOf(query.after) });

async function groupsPage({ req, run, call, frame, page, rows }: Visit, kind: 'organization' | 'group'): Promise<void> {
  const q = firstOf(req.query.q).trim();
  const sort = Object.hasOwn(SORTS, firstOf(req.query.sort)) ? firstOf(req.query.sort) : DEFAULT_SORT;
  const current = pageNumber(req.query.page);
  const size = Math.min(PER_PAGE, rows);
  const variables = {
    text: q,
    isSearch: q !== '',
    language: frame.texts.translation,
    input: { ...SORTS[sort], limit: size, offset: (current - 1) * size },
  };
  const { groups, count, mayCreate } =
    kind === 'organization'
      ? await run(PageOrganizationsDocument, variables, call).then((data) => ({
          groups: data.organizationSuggestions ?? data.organizationList ?? [],
          count: data.organizations.totalCount,
          mayCreate: data.site.mayCreate,
        }))
      : await run(PageGroupsDocument, variables, call).then((data) => ({
          groups: data.groupSuggestions ?? data.groupList ?? [],
          count: data.groups.totalCount,
          mayCreate: data.site.mayCreate,
        }));
  page(
    h(GroupsPage, {
      frame,
      kind,
      q,
      sort,
      page: current,
      pages: q ? 1 : Math.ceil(count / size),
      count,
      groups,
      mayCreate,
      href: ({ sort: order = sort, page: to = current }) =>
        hrefOf(`/${kind}`, [
          ['q', q],
          ['sort', order === DEFAULT_SORT ? '' : order],
          ['page', pageParam(to)],
        ]),
    }),
  );
}
