/** Parameters of the group and organization actions, with help texts. Lists are read from the dictionary itself. */
import type { GroupPermission, GroupSort } from '../../../src/generated/operations.ts';
import { CatalogError, invalid } from '../../../src/kernel/errors.ts';
import type { Read } from '../define.ts';
import { imageParams } from '../image.ts';
import { asText, deprecated, flag, int, type Param, present, text } from '../params.ts';
import { listOf, object, type Schema, TEXT } from '../schema.ts';

const raw = (about: string, item: Schema): Param<unknown> => ({
  type: 'list of dictionaries',
  schema: listOf(item),
  required: false,
  about,
  read: (value) => value,
});

/** Help texts of the keys. Lists are read from the dictionary itself. */
export const groupParams = {
  name: text('2 to 100 of lowercase letters a to z, digits, - and _; unique among groups and organizations.'),
  title: text('Shown instead of the name when not empty.'),
  description: text('Description, in Markdown.'),
  ...imageParams,
  type: text('Type of the group, set at creation. Default: group. Organizations always have the type organization.'),
  state: text('active or deleted. Ignored if the caller may not change it.'),
  approval_status: text('Approval status. Default: approved.'),
  extras: raw('Extras: pairs of `key` and `value`, both strings.', object({ key: TEXT, value: TEXT })),
  packages: raw('Datasets of the group, each with its id or name as `id`.', object({ id: TEXT })),
  groups: raw(
    'Parent groups, each by id or name, with a capacity. Default: public.',
    object({}, { id: TEXT, name: TEXT, capacity: TEXT }),
  ),
  users: raw(
    'Members: `name` and `capacity` (admin, editor or member). Default: public, which grants nothing.',
    object({ name: TEXT }, { capacity: TEXT }),
  ),
};

/** Include flags of the show and list actions, which have different defaults. */
const includes = (otherwise: boolean) => ({
  include_extras: flag('Return the extras.', otherwise),
  include_users: flag('Return the users, with their capacity.', otherwise),
  include_groups: flag('Return the parent groups.', otherwise),
  include_tags: flag('Return the tags. Groups have no tags, so the list is empty.', otherwise),
  include_datasets: flag('Return the first 1,000 datasets, as packages.'),
});

/** Parameters of group_show and organization_show besides the id. */
export const shown = {
  ...includes(true),
  include_followers: flag('Return the number of followers, as num_followers.', true),
};

/** Parameters of group_autocomplete and organization_autocomplete. */
export const suggested = {
  q: present(text('Part of a name or title, ignoring case.')),
  limit: int('Maximum number of results. Default: 20.'),
};

type Included = Read<ReturnType<typeof includes>>;

/** Requested parts of groups; none unless `full`. */
export const parts = (p: Included, full = true) => ({
  extras: full && p.include_extras,
  users: full && p.include_users,
  groups: full && p.include_groups,
  datasets: full && p.include_datasets,
});

/** Maximum groups in a list that includes datasets: up to 1,000 full dictionaries each. */
const WITH_DATASETS = 25;

/** The `limit` to request. With datasets, at most one above the maximum, so that `whole` can detect an excess. */
const requestedLimit = (limit: number | undefined, datasets: boolean): number | undefined =>
  datasets ? Math.min(limit ?? WITH_DATASETS + 1, WITH_DATASETS + 1) : limit;

/** All groups found. @throws CatalogError LIMIT when there are too many to include their datasets */
export function whole<G>(found: readonly G[], datasets: boolean): readonly G[] {
  if (!datasets || found.length <= WITH_DATASETS) return found;
  const fault = `at most ${WITH_DATASETS} groups or organizations per request. Use limit and offset to read more`;
  throw new CatalogError('LIMIT', `include_datasets: ${fault}`);
}

const FIELDS: Readonly<Record<string, GroupSort>> = {
  name: 'NAME',
  title: 'TITLE',
  package_count: 'DATASET_COUNT',
  packages: 'DATASET_COUNT',
};
const problem = (message: string): Error => invalid([{ path: [], message }]);

/** One field and a direction: `name asc`. The number of datasets sorts descending by default. */
const groupOrder = (about: string): Param<{ sort: GroupSort; descending: boolean } | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(value) {
    const criteria = (value == null ? '' : asText(value))
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
    if (criteria.length === 0) return undefined;
    if (criteria.length > 1) throw problem('Too many sort criteria provided only 1 allowed');
    const [field = '', direction, ...rest] = criteria[0]!.split(/\s+/);
    if (direction !== undefined && (rest.length > 0 || !/^(asc|desc)$/i.test(direction)))
      throw problem(`Invalid sort direction \`${[direction, ...rest].join(' ')}\``);
    if (!Object.hasOwn(FIELDS, field)) throw problem(`Cannot sort by field \`${field}\``);
    const sort = FIELDS[field]!;
    return { sort, descending: direction ? /^desc$/i.test(direction) : sort === 'DATASET_COUNT' };
  },
});

/** Parameters that group_list and organization_list share. */
export const listed = {
  sort: groupOrder('name (default), title or package_count, followed by asc or desc.'),
  order_by: deprecated(groupOrder('name or packages. Use `sort` instead.')),
  limit: int('Maximum number of results. Default: all, or 25 with include_datasets.'),
  offset: int('Number of results to skip.'),
  all_fields: flag('Return dictionaries instead of names.'),
  ...includes(false),
};

/** Sort order and page of a list. */
export const listInput = (p: Read<typeof listed>) => ({
  ...(p.sort ?? p.order_by),
  limit: requestedLimit(p.limit, p.all_fields && p.include_datasets),
  offset: p.offset,
});

const PERMISSIONS: Readonly<Record<string, GroupPermission>> = {
  read: 'READ',
  create_dataset: 'CREATE_DATASET',
  update_dataset: 'UPDATE_DATASET',
  delete_dataset: 'DELETE_DATASET',
  manage_group: 'MANAGE',
};

/** A permission by its wire name. Any other word requires an admin. */
export const permission = (about: string): Param<GroupPermission> => ({
  type: 'string',
  required: false,
  about,
  read: (value) =>
    value !== undefined && Object.hasOwn(PERMISSIONS, asText(value)) ? PERMISSIONS[asText(value)]! : 'ADMIN',
});
