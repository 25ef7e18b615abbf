import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { counts, lists, pages } from '../../kernel/pages.ts';
import { groupsGranting } from './group.policy.ts';
import { countDatasets } from './group.sql.ts';
import type { GroupRecord } from './group.store.ts';
import { pagesOfMembers, pagesOfUserGroups } from './membership.sql.ts';
import { countsOfMembers, countsOfUserGroups } from './membership.store.ts';
import { countCreated, extrasOfGroups, parentsOfGroups } from './parts.store.ts';
import { groupNodes } from './visible.ts';

/** Loaders of groups' parts; lists are in the order of the store. */
export function groupLoaders(call: Call) {
  const { db, sql, actor } = call;
  return {
    /** A group by id; null when it is missing or an organization, or the caller may not read it. */
    groupById: new DataLoader<string, GroupRecord | null>((ids) => groupNodes(call, ids, false)),
    /** The same of an organization. */
    organizationById: new DataLoader<string, GroupRecord | null>((ids) => groupNodes(call, ids, true)),
    /** Extras of a group, by key. */
    extrasByGroup: lists(
      (ids) => extrasOfGroups(sql, ids),
      (extra) => extra.groupId,
    ),
    /** Active users of a group, by name. */
    membershipsByGroup: lists(
      (ids) => pagesOfMembers(sql, ids, null),
      (membership) => membership.groupId,
    ),
    /** The same in pages, one more than the limit. */
    memberPages: pages(
      (ids, page) => pagesOfMembers(sql, ids, page),
      (membership) => membership.groupId,
    ),
    memberCounts: counts((ids) => countsOfMembers(db, ids)),
    /** Active groups that a user is in, by name, one more than the page's limit. */
    userGroupPages: pages(
      (ids, page) => pagesOfUserGroups(sql, ids, page),
      (membership) => membership.userId,
    ),
    userGroupCounts: counts((ids) => countsOfUserGroups(db, ids)),
    /** Active groups above a group, by name. */
    parentsByGroup: lists(
      (ids) => parentsOfGroups(sql, ids),
      (parent) => parent.childId,
    ),
    /** Active public datasets that a user created. */
    publicDatasetCountByCreator: counts((ids) => countCreated(sql, ids)),
    /** Active public datasets of a group or organization. */
    datasetCountByGroup: counts((ids) => countDatasets(sql, ids, [])),
    /** Active datasets of a group or organization that the caller may see. */
    visibleDatasetCountByGroup: counts((ids) =>
      countDatasets(sql, ids, actor.sysadmin ? ids : groupsGranting(actor, 'READ')),
    ),
  };
}
