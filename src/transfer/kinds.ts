/** Kinds of imported and exported records, and the actions for each. */
import type { Dictionary } from './perform.ts';

/** In import order: referenced kinds first. */
export const KINDS = ['organization', 'group', 'dataset'] as const;
export type Kind = (typeof KINDS)[number];
export type GroupKind = Exclude<Kind, 'dataset'>;

interface Actions {
  readonly show: string;
  readonly create: string;
  readonly change: string;
  /** Parameters of `show` that omit keys no record contains. */
  readonly hide: Dictionary;
}

const groupActions = (kind: GroupKind): Actions => ({
  show: `${kind}_show`,
  create: `${kind}_create`,
  change: `${kind}_patch`,
  hide: { include_datasets: false },
});

/** A dataset's record replaces the whole dataset. An organization's or group's record may omit members, which then stay. */
export const ACTIONS: Readonly<Record<Kind, Actions>> = {
  organization: groupActions('organization'),
  group: groupActions('group'),
  dataset: { show: 'package_show', create: 'package_create', change: 'package_update', hide: {} },
};
