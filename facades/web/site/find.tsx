/** Serves the search pages: `/dataset`, `/organization/<name>` and `/group/<name>`. Redirects an id to the name. */
import { Router } from 'express';
import { type ComponentChildren, h } from 'preact';
import {
  PageGroupDocument,
  PageOrganizationDocument,
  PageSearchDocument,
  type ResultsFragment,
} from '../../../src/generated/operations.ts';
import { CatalogError } from '../../../src/kernel/errors.ts';
import { searchUse } from '../../../src/kernel/usage.ts';
import { alternates } from '../../shared/formats.ts';
import { reportUse } from '../../shared/usage.ts';
import { EVERYTHING, feedOf } from './feed-paths.ts';
import { inEnglish } from './form.tsx';
import { type GroupKind, GroupPage } from './group-page.tsx';
import { Layout } from './layout.tsx';
import { SearchResults } from './search-page.tsx';
import { readSearch, type SearchQuery, searchHref, searchInput, searchMeta } from './search-query.ts';
import type { Texts } from './texts.ts';
import { type SiteOptions, STATUS, type Visit, visiting, visitingOrLogin } from './visit.ts';

/** The field that holds the page's own organization or group. */
const OWN_FACET = { organization: 'organization', group: 'groups' } as const;

export function findRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  router.get(
    '/dataset',
    visiting(options, (v) => searchPage(v, options.facets)),
  );
  for (const kind of ['organization', 'group'] as const) {
    const facets = options.facets.filter((field) => field !== OWN_FACET[kind]);
    const work = (v: Visit) => groupPage(v, kind, facets, options.siteUrl);
    router.get(`/${kind}/:name`, visitingOrLogin(options, work));
  }
  return router;
}

/** A refused query is shown with the form, so that the visitor can correct it. */
async function searchPage({ req, res, run, call, frame, page, rows }: Visit, facets: readonly string[]): Promise<void> {
  const path = '/dataset';
  const { t } = frame.texts;
  const search = readSearch(req.query, facets, rows);
  const show = (results: ResultsFragment | null, fault?: ComponentChildren, status = 200) =>
    page(
      <Layout
        frame={frame}
        title={search.q ? t('search.titleOf', { q: search.q }) : t('search.title')}
        meta={{
          ...searchMeta(path, search),
          feed: feedOfSearch(search, t),
          description: t('search.description', { site: frame.siteTitle }),
        }}
      >
        <h1>{t('search.title')}</h1>
        <SearchResults {...{ path, search, results, ...(fault !== undefined && { fault }) }} />
      </Layout>,
      status,
      { cachedAs: 'search' },
    );
  try {
    const input = searchInput(search, facets, [], frame.viewer !== null);
    const found = (await run(PageSearchDocument, { input, language: frame.texts.translation }, call)).datasetSearch;
    show(found);
    reportUse(call, req, res, searchUse(search.q, found.count, search.filters.size > 0));
  } catch (thrown) {
    if (!(thrown instanceof CatalogError) || !['SEARCH', 'VALIDATION', 'LIMIT'].includes(thrown.kind)) throw thrown;
    show(null, inEnglish(thrown.message), STATUS[thrown.kind]);
  }
}

/** Feed of a search for one tag; otherwise that of all datasets. */
function feedOfSearch({ filters }: SearchQuery, t: Texts['t']): { title: string; path: string } {
  const [tag, ...more] = filters.get('tags') ?? [];
  return tag && more.length === 0 && filters.size === 1
    ? { title: tag, path: feedOf('tag', tag) }
    : { path: EVERYTHING, title: t('feed.everything') };
}

async function groupPage(v: Visit, kind: GroupKind, facets: readonly string[], siteUrl: string): Promise<void> {
  const { run, call, frame } = v;
  const name = v.req.params.name!;
  const search = readSearch(v.req.query, facets, v.rows);
  const isSignedIn = frame.viewer !== null;
  const input = searchInput(search, facets, [[OWN_FACET[kind], name]], isSignedIn);
  const variables = { id: name, input, language: frame.texts.translation, isSignedIn };
  const data =
    kind === 'organization'
      ? await run(PageOrganizationDocument, variables, call)
      : await run(PageGroupDocument, variables, call);
  const group = 'organization' in data ? data.organization : data.group;
  const quality = 'organization' in data ? data.organization.quality : null;
  const path = `/${kind}/${encodeURIComponent(group.name)}`;
  if (group.name !== name) return v.goTo(searchHref(path, search));
  const address = siteUrl + path;
  v.page(h(GroupPage, { frame, kind, group, quality, search, results: data.datasetSearch, path, address }), 200, {
    cachedAs: kind,
    vary: ['Accept'],
    headers: { link: alternates(address) },
  });
}
