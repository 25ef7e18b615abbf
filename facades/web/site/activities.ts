/** Serves the activities of datasets, organizations, groups, users and the catalog. */
import { Router } from 'express';
import { h } from 'preact';
import {
  type ActivityPageFragment,
  PageDatasetActivitiesDocument,
  PageGroupActivitiesDocument,
  PageOrganizationActivitiesDocument,
  PageSiteActivitiesDocument,
  PageUserActivitiesDocument,
} from '../../../src/generated/operations.ts';
import { notFound } from '../../../src/kernel/errors.ts';
import { ActivitiesPage } from './activity-page.tsx';
import { positionOf } from './pagination.tsx';
import { first } from './search-query.ts';
import { type Tab, tabsOfDataset, tabsOfGroup, tabsOfUser } from './tabs.tsx';
import { type SiteOptions, type Visit, visitingOrLogin } from './visit.ts';

const PER_PAGE = 20;

/** An object with its activities. */
interface Subject {
  readonly name: string;
  readonly title: string;
  readonly activities: ActivityPageFragment;
}
type Part = { readonly first: number; readonly after: string | null };
type Read = (visit: Visit, id: string, part: Part) => Promise<Subject>;

const READ: Readonly<Record<string, Read>> = {
  dataset: async ({ run, call }, id, part) => (await run(PageDatasetActivitiesDocument, { id, ...part }, call)).dataset,
  organization: async ({ run, call }, id, part) =>
    (await run(PageOrganizationActivitiesDocument, { id, ...part }, call)).organization,
  group: async ({ run, call }, id, part) => (await run(PageGroupActivitiesDocument, { id, ...part }, call)).group,
  user: async ({ run, call }, id, part) => {
    const { user } = await run(PageUserActivitiesDocument, { id, ...part }, call);
    if (user.state === 'deleted') throw notFound('no such user.');
    return user;
  },
};

const TABS: Readonly<Record<string, (name: string) => Tab[]>> = {
  dataset: tabsOfDataset,
  organization: (name) => tabsOfGroup('organization', name),
  group: (name) => tabsOfGroup('group', name),
  user: tabsOfUser,
};

export function activitiesRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (visit: Visit, part: Part) => Promise<void>) =>
    router.get(
      path,
      visitingOrLogin(options, (v) =>
        work(v, { first: Math.min(PER_PAGE, options.rows), after: first(v.req.query.after) || null }),
      ),
    );
  for (const [kind, read] of Object.entries(READ))
    get(`/${kind}/activity/:name`, async (v, part) => {
      const id = v.req.params.name!;
      const { name, title, activities } = await read(v, id, part);
      const path = `/${kind}/activity/${encodeURIComponent(name)}`;
      if (name !== id) return v.goTo(path);
      show(v, v.frame.texts.t('activity.of', { object: title }), path, activities, { tabs: TABS[kind]!(name) });
    });
  get('/activity', async (v, part) => {
    const { activities } = await v.run(PageSiteActivitiesDocument, part, v.call);
    show(v, v.frame.texts.t('activity.title'), '/activity', activities);
  });
  return router;
}

function show(
  v: Visit,
  title: string,
  path: string,
  activities: ActivityPageFragment,
  more: { tabs?: Tab[] } = {},
): void {
  const page = positionOf(path, { after: first(v.req.query.after) }, activities.pageInfo);
  v.page(h(ActivitiesPage, { frame: v.frame, title, path, activities, page, ...more }));
}
