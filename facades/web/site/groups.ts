/** Serves the members and details of organizations and groups, and changes members. Redirects an id to the name. */
import { Router } from 'express';
import { h } from 'preact';
import {
  PageGroupAboutDocument,
  PageGroupMembersDocument,
  PageOrganizationAboutDocument,
  PageOrganizationMembersDocument,
  PageRemoveMemberDocument,
  PageSetMemberDocument,
} from '../../../src/generated/operations.ts';
import { notAuthorized } from '../../../src/kernel/errors.ts';
import { refusing } from './account.ts';
import type { Faults } from './form.tsx';
import { GroupAboutPage, MembersPage } from './group-parts.tsx';
import { positionOf } from './pagination.tsx';
import { first as firstOf } from './search-query.ts';
import { type SiteOptions, STATUS, type Visit, visitingOrLogin } from './visit.ts';

const PER_PAGE = 100;

export function groupsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string, work: (visit: Visit) => Promise<void>) => router.get(path, visitingOrLogin(options, work));
  for (const kind of ['organization', 'group'] as const) {
    const pathOf = (page: string, name: string) => `/${kind}/${page}/${encodeURIComponent(name)}`;
    const showMembers = async (v: Visit, faults: Faults = {}, status = 200) => {
      const after = firstOf(v.req.query.after);
      const variables = { id: v.req.params.name!, first: Math.min(PER_PAGE, options.rows), after: after || null };
      const group =
        kind === 'organization'
          ? (await v.run(PageOrganizationMembersDocument, variables, v.call)).organization
          : (await v.run(PageGroupMembersDocument, variables, v.call)).group;
      const path = pathOf('members', group.name);
      if (group.name !== variables.id && v.req.method !== 'POST') return v.goTo(path);
      const page = positionOf(path, { after }, group.membershipConnection.pageInfo);
      v.page(h(MembersPage, { frame: v.frame, kind, group, path, page, faults, texts: v.form }), status);
    };
    get(`/${kind}/members/:name`, (v) => showMembers(v));
    router.post(
      `/${kind}/members/:name`,
      visitingOrLogin(options, (v) =>
        refusing(
          ['user', 'capacity'],
          (faults, status) => {
            if (status === STATUS.NOT_AUTHORIZED) throw notAuthorized('you may not change the members');
            return showMembers(v, faults, status);
          },
          () => changeMember(v, pathOf('members', v.req.params.name!)),
        ),
      ),
    );
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

/** Sets the role of a user, or removes the user. */
async function changeMember(v: Visit, path: string): Promise<void> {
  const { user = '', capacity = '', verb } = v.form;
  const group = v.req.params.name!;
  if (verb === 'remove') await v.run(PageRemoveMemberDocument, { input: { group, user } }, v.call);
  else await v.run(PageSetMemberDocument, { input: { group, user: user.trim(), capacity } }, v.call);
  v.goTo(path);
}
