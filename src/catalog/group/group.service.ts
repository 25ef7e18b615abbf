/** Reads of groups and organizations. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs, position } from '../../kernel/connection.ts';
import { allow, CatalogError, invalid, invalidField, notFound, orNull } from '../../kernel/errors.ts';
import { keysIn, orderIn, shapeOf } from '../../kernel/keyset.sql.ts';
import { imageAddress } from '../file/image.rules.ts';
import { imageByName, type ShownImage } from '../file/image.service.ts';
import {
  capacitiesGranting,
  capacityOf,
  type GroupPermission,
  groupsGranting,
  mayCreateGroup,
  mayDeleteGroup,
  mayListDeletedGroups,
  mayReadGroup,
  mayUpdateGroup,
} from './group.policy.ts';
import {
  countGroups,
  GROUP_FIELDS,
  type GroupListChoice,
  type ListedGroup,
  listGroups,
  pageOfGroups,
} from './group.sql.ts';
import {
  findCapacity,
  findGroup,
  type GroupRecord,
  listAll,
  listOwn,
  listPermitted,
  suggestGroups,
} from './group.store.ts';

export type { GroupRecord } from './group.store.ts';
export { groupNodes } from './visible.ts';

/** The backing type of GroupConnection and OrganizationConnection. */
export type GroupConnectionRecord = Connection<GroupRecord>;

/** The GraphQL type name of a group or organization. */
export const groupTypename = (group: GroupRecord): 'Group' | 'Organization' =>
  group.isOrganization ? 'Organization' : 'Group';

/** The URL of a group's or organization's image for browsers. */
export const groupImageAddress = (call: Call, { imageUrl }: GroupRecord): string =>
  imageAddress('group', imageUrl, call.settings['catalog.site_url']);

/**
 * One group or organization; `isOrganization` null accepts both, and `sent` ends the error message. @throws
 * CatalogError NOT_FOUND, NOT_AUTHORIZED
 */
export async function groupShow(
  call: Call,
  idOrName: string,
  isOrganization: boolean | null,
  sent: string = idOrName,
): Promise<GroupRecord> {
  const group = await findGroup(call.sql, idOrName);
  if (!group || (isOrganization !== null && group.isOrganization !== isOrganization)) throw notFound();
  allow(mayReadGroup(call.actor, group, await capacityIn(call, group)), sent);
  return group;
}

/**
 * Id of the group or organization that a condition names; null without one. @throws CatalogError VALIDATION, at this path, if there is
 * none, or the caller may not read it
 */
export async function chosenGroup(
  call: Call,
  kind: 'organization' | 'group',
  idOrName: string | null | undefined,
  path: readonly string[] = [kind],
): Promise<string | null> {
  if (idOrName == null) return null;
  const found = await groupShow(call, idOrName, kind === 'organization').catch((thrown: unknown) => {
    if (thrown instanceof CatalogError && ['NOT_FOUND', 'NOT_AUTHORIZED'].includes(thrown.kind)) return null;
    throw thrown;
  });
  if (found) return found.id;
  throw invalid([{ path: [...path], message: `Not found: ${kind === 'group' ? 'Group' : 'Organization'}` }]);
}

/**
 * The caller's capacity in a group, own or inherited; null for none. Members of an inactive group may read and restore
 * it, so their capacity is looked up.
 */
export async function capacityIn(call: Call, group: Pick<GroupRecord, 'id' | 'state'>): Promise<string | null> {
  const known = call.actor.capacities.get(group.id) ?? null;
  if (known !== null || group.state === 'active' || call.actor.userId === null) return known;
  return findCapacity(call.db, group.id, call.actor.userId);
}

/** A stored image by its name, for readers of its owner. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function groupImage(call: Call, name: string): Promise<ShownImage> {
  const image = await imageByName(call, 'group', name);
  if (!image) throw notFound();
  const { state } = await groupShow(call, image.ownerId, null, 'of this image');
  return { ...image, isPublic: state === 'active' };
}

interface GroupsArgs extends PageArgs {
  readonly where?: Maybe<{
    readonly text?: Maybe<string>;
    readonly type?: Maybe<string>;
    readonly deleted?: Maybe<boolean>;
  }>;
  readonly orderBy?: Parameters<typeof orderIn<keyof typeof GROUP_FIELDS>>[1];
}

/**
 * A page of active or deleted groups or organizations. @throws CatalogError LIMIT, VALIDATION (cursor), NOT_AUTHORIZED,
 * UNAVAILABLE (DATASET_COUNT)
 */
export async function groupConnection(
  call: Call,
  isOrganization: boolean,
  { where, orderBy, ...args }: GroupsArgs,
): Promise<GroupConnectionRecord> {
  const deleted = where?.deleted ?? false;
  if (deleted) allow(mayListDeletedGroups(call.actor));
  const order = orderIn(GROUP_FIELDS, orderBy, 'NAME');
  const shape = shapeOf(keysIn(GROUP_FIELDS, order));
  const page = keyset(args, shape, call.settings['catalog.limits.rows'], order);
  const choice = { isOrganization, type: where?.type, text: where?.text || null, deleted };
  if (order.startsWith('DATASET_COUNT')) await call.process.countWrites(call);
  const rows: GroupRecord[] = await pageOfGroups(call.sql, choice, order, page);
  return connection(
    rows,
    page,
    (group) => (group as ListedGroup).key,
    () => countGroups(call.sql, choice),
  );
}

type Maybe<T> = T | null | undefined;
export interface GroupListInput {
  only?: Maybe<readonly string[]>;
  type?: Maybe<string>;
  sort?: Maybe<GroupListChoice['sort']>;
  descending?: Maybe<boolean>;
  limit?: Maybe<number>;
  offset?: Maybe<number>;
}

/** Active groups or organizations in the requested order. @throws CatalogError VALIDATION (negative numbers) */
export async function groupList(call: Call, input: GroupListInput, isOrganization: boolean): Promise<GroupRecord[]> {
  const negative = (['limit', 'offset'] as const).filter((name) => (input[name] ?? 0) < 0);
  if (negative.length > 0) throw invalid(negative.map((name) => ({ path: [name], message: 'Must not be negative' })));
  return listGroups(call.sql, {
    isOrganization,
    type: input.type ?? null,
    only: input.only?.length ? input.only : null,
    sort: input.sort ?? 'NAME',
    descending: input.descending ?? false,
    limit: input.limit ?? null,
    offset: input.offset ?? 0,
  });
}

/** Active ones whose name or title contains a text, by display name. @throws CatalogError LIMIT */
export async function groupSuggestions(
  call: Call,
  { text, limit }: { text: string; limit?: Maybe<number> },
  isOrganization: boolean,
): Promise<GroupRecord[]> {
  const max = call.settings['catalog.limits.rows'];
  return suggestGroups(call.sql, isOrganization, text, position({ limit: Math.max(0, limit ?? 20) }, max).limit);
}

/** Active ones in which the caller has the permission, by display name; sysadmins have every permission. */
export async function groupsPermitted(
  call: Call,
  {
    permission,
    memberOnly = false,
    inherited = true,
  }: { permission: GroupPermission; memberOnly?: boolean; inherited?: boolean },
  isOrganization: boolean,
): Promise<GroupRecord[]> {
  const { actor, sql } = call;
  if (actor.sysadmin && !memberOnly) return listAll(sql, isOrganization);
  if (inherited) return listPermitted(sql, isOrganization, groupsGranting(actor, permission));
  return actor.userId === null ? [] : listOwn(sql, isOrganization, actor.userId, capacitiesGranting(permission));
}

/** The caller's capacity in a group, own or inherited; null for none. */
export const myCapacity = ({ actor }: Call, { id }: GroupRecord): string | null => capacityOf(actor, id);

export const canCreateGroups = ({ actor, settings }: Call, isOrganization: boolean): boolean =>
  mayCreateGroup(actor, isOrganization, settings) === null;

export const canUpdateGroup = async (call: Call, group: GroupRecord): Promise<boolean> =>
  mayUpdateGroup(call.actor, group, await capacityIn(call, group)) === null;

export const canDeleteGroup = async (call: Call, group: GroupRecord): Promise<boolean> =>
  mayDeleteGroup(call.actor, group, await capacityIn(call, group), call.settings) === null;

/** The id of the organization with this id or name; null for null. @throws CatalogError VALIDATION at `organization` */
export async function organizationOf(call: Call, named: string | null | undefined): Promise<string | null> {
  if (named == null) return null;
  const found = await orNull(groupShow(call, named, true));
  if (!found) throw invalidField('organization', 'Organization does not exist');
  return found.id;
}
