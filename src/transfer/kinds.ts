/** The kinds of records that go in and out, and the actions that read and write each. */
import type { Dictionary } from './perform.ts';

/** In the order in which they go in: what others name comes first. */
export const KINDS = ['organization', 'group', 'dataset'] as const;
export type Kind = (typeof KINDS)[number];
export type GroupKind = Exclude<Kind, 'dataset'>;

interface Actions {
  readonly show: string;
  readonly create: string;
  readonly change: string;
  /** Parameters of `show` that leave out what no record holds. */
  readonly hide: Dictionary;
}

const groupActions = (kind: GroupKind): Actions => ({
  show: `${kind}_show`,
  create: `${kind}_create`,
  change: `${kind}_patch`,
  hide: { include_datasets: false },
});

/** A dataset's record is the whole dataset and replaces it; an organization's or group's may lack its members, who then stay. */
export const ACTIONS: Readonly<Record<Kind, Actions>> = {
  organization: groupActions('organization'),
  group: groupActions('group'),
  dataset: { show: 'package_show', create: 'package_create', change: 'package_update', hide: {} },
};
