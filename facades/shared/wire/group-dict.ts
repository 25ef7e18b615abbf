/** Groups and organizations as the wire has them. */
import { wireTime } from './time.ts';

interface Answered {
  readonly id: string;
  readonly created: string;
  readonly version?: number;
  readonly num_followers?: number;
  readonly extras?: readonly object[];
  readonly users?: readonly { readonly user: { readonly created: string } }[];
  readonly groups?: readonly Parent[];
  readonly packages?: { readonly nodes: readonly { readonly document: unknown }[] };
}

interface Parent {
  readonly capacity: string;
  readonly group: {
    readonly created: string;
    readonly groups: readonly { readonly capacity: string; readonly group: object }[];
  };
}

/**
 * A group dictionary: lists that were asked for, flattened as CKAN has them. `tags` is always empty (groups carry none).
 * The number of followers is 0 where it was not asked for: in lists, as recorded, and with include_followers false.
 */
export function groupDict({ version: _version, ...group }: Answered, withTags: boolean): Record<string, unknown> {
  const { extras, users, groups, packages, ...core } = group;
  return {
    ...core,
    created: wireTime(core.created),
    num_followers: core.num_followers ?? 0,
    ...(extras && { extras: extras.map((extra) => ({ ...extra, group_id: core.id, state: 'active' })) }),
    ...(users && {
      users: users.map(({ user, ...membership }) => ({ ...user, created: wireTime(user.created), ...membership })),
    }),
    ...(groups && { groups: groups.map(parentDict) }),
    ...(packages && { packages: packages.nodes.map(({ document }) => document) }),
    ...(withTags && { tags: [] }),
  };
}

/** A group above: its own fields, the capacity of the link, and the names of the groups above it in turn. */
const parentDict = ({ capacity, group }: Parent) => ({
  ...group,
  capacity,
  created: wireTime(group.created),
  groups: group.groups.map((above) => ({ ...above.group, capacity: above.capacity })),
});
