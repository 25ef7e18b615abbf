/** Serves `/organization/<name>` and `/group/<name>` as HTML. Redirects an id to the name. */
import { Router } from 'express';
import { h } from 'preact';
import { PageGroupDocument } from '../../../src/generated/operations.ts';
import { notFound } from '../../../src/kernel/errors.ts';
import { alternates } from '../../shared/formats.ts';
import { orLogin } from './dataset.ts';
import { GroupPage } from './group-page.tsx';
import { type SiteOptions, visiting } from './visit.ts';

export function groupRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  for (const kind of ['organization', 'group'] as const)
    router.get(
      `/${kind}/:name`,
      visiting(options, (v) =>
        orLogin(v, async () => {
          const { name } = v.req.params;
          const group = (await v.run(PageGroupDocument, { id: name! }, v.call)).groupOrOrganization!;
          if (group.isOrganization !== (kind === 'organization')) throw notFound();
          const path = `/${kind}/${encodeURIComponent(group.name)}`;
          if (group.name !== name) return v.goTo(path);
          const address = options.siteUrl + path;
          v.page(h(GroupPage, { frame: v.frame, group, address }), 200, {
            vary: 'Accept, Cookie',
            link: alternates(address),
          });
        }),
      ),
    );
  return router;
}
