/** Links of resources for readers, and checks that editors request. */
import { mayReadDataset, mayUpdateDataset } from '../catalog/dataset/dataset.policy.ts';
import { readerOf } from '../catalog/document/readable.ts';
import { chosenGroup } from '../catalog/group/group.service.ts';
import { listedResources, type ResourcePage } from '../catalog/resource/pages.service.ts';
import { findResourceDataset } from '../catalog/resource/resource.sql.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { keyset, type PageArgs } from '../kernel/connection.ts';
import { allow, invalidField, limitAt, notAllowedTo, notAuthorized, notFound } from '../kernel/errors.ts';
import { shapeOf } from '../kernel/keyset.sql.ts';
import { hostOf } from './link.rules.ts';
import { type LinkEvent, type LinkRecord, linksByIds } from './link.store.ts';
import { countLinks, LINK_KEYS, pageOfLinks } from './lists.sql.ts';
import { requestCheck } from './request.sql.ts';

/** The backing type of ResourceLink. */
export type ResourceLinkRecord = LinkRecord;
/** The backing type of ResourceLinkEvent. */
export type ResourceLinkEventRecord = LinkEvent;

interface ByLinkArgs extends PageArgs {
  readonly verdict: string;
  readonly organization?: string | null;
}

/** Resources by the verdict about their links, longest first. @throws CatalogError LIMIT, VALIDATION */
export async function resourcesByLink(
  call: Call,
  { verdict, organization: named, ...args }: ByLinkArgs,
): Promise<ResourcePage> {
  const organization = await chosenGroup(call, 'organization', named);
  const page = keyset(args, shapeOf(LINK_KEYS), call.settings['catalog.limits.rows']);
  const choice = { verdict: verdict.toLowerCase(), organization, reader: readerOf(call.actor) };
  const timeout = { seconds: call.settings['search.timeout'], setting: 'search.timeout' };
  const listed = await pageOfLinks(call.sql, choice, page, timeout);
  return listedResources(call, listed, page, () => countLinks(call.sql, choice, timeout));
}

/** Seconds between two requested checks of one link. */
const REQUEST_PAUSE = 60;
const requestedRecently = `A check of this link was requested less than ${REQUEST_PAUSE} s ago. Retry later`;

/** @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, LIMIT */
export async function linkCheck(call: Call, { resourceId }: { resourceId: string }): Promise<LinkRecord> {
  const dataset = await findResourceDataset(call.sql, resourceId);
  if (!dataset) throw notFound();
  if (mayReadDataset(call.actor, dataset, call.settings) !== null)
    throw notAuthorized(notAllowedTo(call.actor, `read resource ${resourceId}`));
  allow(mayUpdateDataset(call.actor, dataset, call.settings), resourceId);
  if (call.settings['catalog.links.interval'] === 0)
    throw invalidField('resourceId', 'This site does not check links: catalog.links.interval is 0');
  return inTransaction(call, async (call) => {
    const [before] = await linksByIds(call.sql, [resourceId]);
    if (!before) throw invalidField('resourceId', 'Is not a link to another server');
    if (!(await requestCheck(call.sql, before, hostOf(before.url), REQUEST_PAUSE)))
      throw limitAt('resourceId', requestedRecently);
    return (await linksByIds(call.sql, [resourceId]))[0] ?? before;
  });
}
