/** Serves the reader's dashboard: news of what they follow, own datasets, own organizations and groups. */
import { Router } from 'express';
import {
  PageDashboardDocument,
  PageMarkSeenDocument,
  PageOwnDatasetsDocument,
  PageOwnGroupsDocument,
  type PageOwnGroupsQuery,
} from '../../../src/generated/operations.ts';
import { notAuthorized } from '../../../src/kernel/errors.ts';
import { ActivitiesPage } from './activity-page.tsx';
import { Form } from './form.tsx';
import type { Viewer } from './frame.ts';
import { roleOf } from './group-parts.tsx';
import { Layout } from './layout.tsx';
import { NextPage, positionOf } from './pagination.tsx';
import { DatasetList } from './profile-page.tsx';
import { first as firstOf } from './search-query.ts';
import { DASHBOARD_TABS, Tabs } from './tabs.tsx';
import { useTexts } from './use-texts.ts';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const NEWS_PER_PAGE = 20;
const PER_PAGE = 100;

interface Page {
  readonly viewer: Viewer;
  readonly path: string;
  readonly after: string;
  readonly variables: { readonly name: string; readonly first: number; readonly after: string | null };
}

export function dashboardRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (v: Visit, page: Page) => Promise<void>, perPage = PER_PAGE) =>
    router.get(
      path,
      visitingOrLogin(options, (v) => {
        const { viewer } = v.frame;
        if (viewer === null) throw notAuthorized('sign in first');
        const after = firstOf(v.req.query.after);
        const variables = { name: viewer.name, first: Math.min(perPage, options.rows), after: after || null };
        return work(v, { viewer, path, after, variables });
      }),
    );
  get('/dashboard', news, NEWS_PER_PAGE);
  get('/dashboard/datasets', datasets);
  for (const kind of ['organization', 'group'] as const)
    get(`/dashboard/${kind}s`, (v, page) => memberships(v, page, kind));
  router.post(
    '/dashboard',
    visitingOrLogin(options, async (v) => {
      await v.run(PageMarkSeenDocument, { input: {} }, v.call);
      v.goTo('/dashboard');
    }),
  );
  return router;
}

async function news(v: Visit, { path, after, variables }: Page): Promise<void> {
  const { name: _name, ...part } = variables;
  const { activities, newActivityCount } = (await v.run(PageDashboardDocument, part, v.call)).viewerDashboard;
  const { t } = v.frame.texts;
  const page = positionOf(path, { after }, activities.pageInfo);
  v.page(
    <ActivitiesPage
      {...{ frame: v.frame, title: t('activity.news'), path, activities, page, tabs: DASHBOARD_TABS }}
      isOwn
    >
      {newActivityCount > 0 && (
        <Form action={path} token={v.frame.token}>
          <p class="actions">
            <span>{t('manage.newActivities', { count: newActivityCount })}</span>
            <button type="submit" class="quiet">
              {t('manage.markSeen')}
            </button>
          </p>
        </Form>
      )}
    </ActivitiesPage>,
  );
}

async function datasets(v: Visit, { path, after, variables }: Page): Promise<void> {
  const { user } = await v.run(PageOwnDatasetsDocument, variables, v.call);
  const { nodes, pageInfo } = user!.datasets;
  const { t } = v.frame.texts;
  v.page(
    <Layout frame={v.frame} title={t('manage.myDatasets')}>
      <h1>{t('manage.myDatasets')}</h1>
      <Tabs tabs={DASHBOARD_TABS} current={path} />
      {v.frame.addsDatasets && (
        <p class="actions">
          <a class="button" href="/dataset/new">
            {t('manage.addDataset')}
          </a>
        </p>
      )}
      {nodes.length === 0 && <p>{t('manage.noDatasets')}</p>}
      <DatasetList datasets={nodes} />
      <NextPage href={positionOf(path, { after }, pageInfo).next} />
    </Layout>,
  );
}

type Membership = NonNullable<PageOwnGroupsQuery['user']>['memberships']['nodes'][number];

async function memberships(v: Visit, { path, after, variables }: Page, kind: 'organization' | 'group') {
  const { user, site } = await v.run(PageOwnGroupsDocument, variables, v.call);
  const { nodes, pageInfo } = user!.memberships;
  const own = nodes.filter(({ group }) => group.isOrganization === (kind === 'organization'));
  const mayCreate = kind === 'organization' ? site.viewerCanCreateOrganizations : site.viewerCanCreateGroups;
  const { t } = v.frame.texts;
  const title = kind === 'organization' ? t('manage.myOrganizations') : t('manage.myGroups');
  v.page(
    <Layout frame={v.frame} title={title}>
      <h1>{title}</h1>
      <Tabs tabs={DASHBOARD_TABS} current={path} />
      {mayCreate && (
        <p class="actions">
          <a class="button" href={`/${kind}/new`}>
            {t('manage.new', { kind })}
          </a>
        </p>
      )}
      {own.length === 0 && !after && !pageInfo.hasNextPage && <p>{t('manage.noMemberships', { kind })}</p>}
      <ul class="plain">
        {own.map((membership) => (
          <Item key={membership.group.name} kind={kind} {...membership} />
        ))}
      </ul>
      <NextPage href={positionOf(path, { after }, pageInfo).next} />
    </Layout>,
  );
}

function Item({ kind, capacity, group }: Membership & { kind: string }) {
  const { t, dataLang } = useTexts();
  return (
    <li>
      <a href={`/${kind}/${encodeURIComponent(group.name)}`} lang={dataLang}>
        {group.displayName}
      </a>{' '}
      <span class="hint">
        {roleOf(t, capacity)}, {t('count.dataset', { count: group.datasetCount })}
      </span>
    </li>
  );
}
