/** Serves the members and details of organizations and groups. Redirects an id to the name. */
import { Router } from 'express';
import { h } from 'preact';
import {
  PageGroupAboutDocument,
  PageGroupMembersDocument,
  PageOrganizationAboutDocument,
  PageOrganizationMembersDocument,
} from '../../../src/generated/operations.ts';
import { GroupAboutPage, MembersPage } from './group-parts.tsx';
import { positionOf } from './pagination.tsx';
import { first as firstOf } from './search-query.ts';
import { orLogin, type SiteOptions, type Visit, visiting } from './visit.ts';

const PER_PAGE = 100;

export function groupsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (visit: Visit) => Promise<void>) =>
    router.get(
      path,
      visiting(options, (v) => orLogin(v, () => work(v))),
    );
  for (const kind of ['organization', 'group'] as const) {
    const pathOf = (page: string, name: string) => `/${kind}/${page}/${encodeURIComponent(name)}`;
    get(`/${kind}/members/:name`, async (v) => {
      const after = firstOf(v.req.query.after);
      const variables = { id: v.req.params.name!, first: Math.min(PER_PAGE, options.rows), after: after || null };
      const group =
        kind === 'organization'
          ? (await v.run(PageOrganizationMembersDocument, variables, v.call)).organization
          : (await v.run(PageGroupMembersDocument, variables, v.call)).group;
      const path = pathOf('members', group.name);
      if (group.name !== variables.id) return v.goTo(path);
      const page = positionOf(path, { after }, group.membershipConnection.pageInfo);
      v.page(h(MembersPage, { frame: v.frame, kind, group, path, page }));
    });
    get(`/${kind}/about/:name`, async (v) => {
      const id = v.req.params.name!;
      const group =
        kind === 'organization'
          ? (await v.run(PageOrganizationAboutDocument, { id }, v.call)).organization
          : (await v.run(PageGroupAboutDocument, { id }, v.call)).group;
      const path = pathOf('about', group.name);
      if (group.name !== id) return v.goTo(path);
      v.page(h(GroupAboutPage, { frame: v.frame, kind, group, path }));
    });
  }
  return router;
}
