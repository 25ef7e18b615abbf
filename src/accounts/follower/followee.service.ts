/** Lists of objects that users follow. */
import { datasetsByIds } from '../../catalog/dataset/dataset.service.ts';
import { readerOf } from '../../catalog/document/readable.ts';
import { groupNodes } from '../../catalog/group/group.service.ts';
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, refuse } from '../../kernel/errors.ts';
import { userNodes } from '../user/user.service.ts';
import {
  countsOfFollowees,
  type FolloweeChoice,
  type FolloweeKind,
  type ListedFollowee,
  pagesOfFollowees,
} from './followee.sql.ts';
import { mayListFollowees } from './follower.policy.ts';
import { checkFound } from './follower.rules.ts';
import { findFollowable } from './follower.store.ts';

type Loaded = Awaited<ReturnType<(typeof READERS)[FolloweeKind]>>[number];
/** An object that can be followed, as the graph backs it. */
export type FollowableObject = NonNullable<Loaded>;

/** The backing type of Followee. */
export interface FolloweeRecord extends Pick<ListedFollowee, 'kind' | 'displayName' | 'followedAt'> {
  readonly object: FollowableObject;
}

interface Requested {
  /** Id or name of the follower. */
  readonly id: string;
  /** Null for every kind. */
  readonly kinds?: readonly FolloweeKind[] | null;
}

const READERS = {
  USER: (call: Call, ids: readonly string[]) => userNodes(call, ids),
  DATASET: (call: Call, ids: readonly string[]) => datasetsByIds(call, ids),
  GROUP: (call: Call, ids: readonly string[]) => groupNodes(call, ids, false),
  ORGANIZATION: (call: Call, ids: readonly string[]) => groupNodes(call, ids, true),
};
const KINDS = Object.keys(READERS) as FolloweeKind[];

/** Number of objects that a user follows and the caller may read. @throws CatalogError VALIDATION (unknown user) */
export async function followeeCount(call: Call, { id: idOrName, kinds }: Requested): Promise<number> {
  const user = await findFollowable(call.sql, 'USER', idOrName);
  refuse(checkFound(idOrName, 'USER', user !== null));
  return (await countsOfFollowees(call.sql, [user!.id], ofKinds(kinds), readerOf(call.actor)))[0]!.n;
}

/**
 * Objects that a user follows and the caller may read, by display name; `startsWith` is a prefix of it, ignoring case.
 * @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown user)
 */
export async function followeeList(
  call: Call,
  { id: idOrName, kinds, startsWith }: Requested & { startsWith?: string | null },
): Promise<FolloweeRecord[]> {
  const user = await findFollowable(call.sql, 'USER', idOrName);
  // As recorded: a request for all kinds reports an unknown user first; a request for one kind checks the permission
  // first.
  if (!kinds && call.actor.userId !== null) refuse(checkFound(idOrName, 'USER', user !== null));
  allow(mayListFollowees(call.actor, user?.id ?? null));
  refuse(checkFound(idOrName, 'USER', user !== null));
  const beginning = (startsWith ?? '').toLowerCase();
  const rows = await pagesOfFollowees(call.sql, [user!.id], ofKinds(kinds), readerOf(call.actor));
  return withObjects(
    call,
    rows.filter(({ displayName }) => displayName.toLowerCase().startsWith(beginning)),
  );
}

const ofKinds = (kinds: Requested['kinds']): FolloweeChoice => ({ kinds: kinds ?? null, startsWith: null });

/** A page of objects that a user follows, with their list positions. */
export type FolloweePage = Connection<FolloweeRecord>;

interface Loaders {
  followeePages: { load(requested: FolloweeChoice & { id: string; page: Keyset }): Promise<ListedFollowee[]> };
  followeeCounts: { load(requested: FolloweeChoice & { id: string }): Promise<number> };
  userById: { load(id: string): Promise<FollowableObject | null> };
  datasetById: { load(id: string): Promise<FollowableObject | null> };
  groupById: { load(id: string): Promise<FollowableObject | null> };
  organizationById: { load(id: string): Promise<FollowableObject | null> };
}

/** A page of objects that a loaded user follows, by display name. @throws CatalogError NOT_AUTHORIZED, LIMIT, VALIDATION (cursor) */
export async function followeeConnection(
  call: Call,
  loaders: Loaders,
  userId: string,
  { kinds = null, startsWith = null, ...args }: PageArgs & Partial<FolloweeChoice>,
): Promise<FolloweePage> {
  allow(mayListFollowees(call.actor, userId));
  const page = keyset(args, ['string', 'string', 'string'], call.settings['catalog.limits.rows']);
  const requested = { id: userId, kinds, startsWith };
  const rows = await loaders.followeePages.load({ ...requested, page });
  const byKind = {
    USER: loaders.userById,
    DATASET: loaders.datasetById,
    GROUP: loaders.groupById,
    ORGANIZATION: loaders.organizationById,
  };
  const objects = await Promise.all(rows.map(({ kind, id }) => byKind[kind].load(id)));
  const found = connection(
    rows.map((row, index) => ({ ...row, object: objects[index] })),
    page,
    ({ displayName, name, kind }) => [displayName, name, kind],
    () => loaders.followeeCounts.load(requested),
  );
  // Objects removed since the list was read are omitted; the page's end stays the same.
  return {
    ...found,
    nodes: found.nodes.filter(isThere),
    edges: found.edges.flatMap(({ cursor, node }) => (isThere(node) ? [{ cursor, node }] : [])),
  };
}

const isThere = <Row extends { object?: FollowableObject | null }>(
  row: Row,
): row is Row & { object: FollowableObject } => row.object != null;

/** Loads the objects: one look-up per kind. */
async function withObjects(call: Call, rows: readonly ListedFollowee[]): Promise<FolloweeRecord[]> {
  const objects = new Map<string, FollowableObject>();
  for (const kind of KINDS) {
    const ids = rows.filter((row) => row.kind === kind).map((row) => row.id);
    if (ids.length === 0) continue;
    for (const object of await READERS[kind](call, ids)) if (object) objects.set(object.id, object);
  }
  return rows.flatMap(({ kind, id, displayName, followedAt }) => {
    const object = objects.get(id);
    return object ? [{ kind, displayName, followedAt, object }] : [];
  });
}

/** The GraphQL type name of a followed object. */
export function followableTypename(object: FollowableObject): 'User' | 'Dataset' | 'Group' | 'Organization' {
  if ('document' in object) return 'Dataset';
  if ('isOrganization' in object) return object.isOrganization ? 'Organization' : 'Group';
  return 'User';
}
