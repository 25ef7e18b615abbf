/** Converts groups and organizations to the wire format. */
import { wireTime } from './time.ts';

interface Answered {
  readonly id: string;
  readonly created: string;
  readonly version?: number;
  readonly num_followers?: number;
  readonly extras?: readonly object[];
  readonly users?: readonly { readonly user: { readonly created: string } }[];
  readonly groups?: readonly Parent[];
  /** JSON list of datasets. */
  readonly packages?: unknown;
}

interface Parent {
  readonly capacity: string;
  readonly group: {
    readonly created: string;
    readonly groups: readonly { readonly capacity: string; readonly group: object }[];
  };
}

/**
 * A group dictionary with the requested lists, flattened as in CKAN. `tags` is always empty, because groups have none. By the contract, the
 * number of followers is 0 when not requested: in lists, and with include_followers false.
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
    ...(packages !== undefined && { packages }),
    ...(withTags && { tags: [] }),
  };
}

/** A parent group: its own fields, the capacity of the link, and the names of its own parents. */
const parentDict = ({ capacity, group }: Parent) => ({
  ...group,
  capacity,
  created: wireTime(group.created),
  groups: group.groups.map((above) => ({ ...above.group, capacity: above.capacity })),
});
