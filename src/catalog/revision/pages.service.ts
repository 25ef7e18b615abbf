/** Pages of a group's revisions and of a revision's objects. The caller may read the group or revision. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import type { PageOf } from '../../kernel/pages.ts';
import type { GroupRevision } from './pages.sql.ts';
import type { RevisionPage } from './revision.service.ts';
import type { ListedObject, RevisionObjectRecord } from './revision.sql.ts';

/** A page of the objects of a revision. */
export type ObjectPage = Connection<RevisionObjectRecord>;

interface Loaders {
  revisionPagesByGroup: { load(requested: PageOf): Promise<GroupRevision[]> };
  revisionCountByGroup: { load(groupId: string): Promise<number> };
  objectPagesByRevision: { load(requested: PageOf): Promise<ListedObject[]> };
  objectCountByRevision: { load(revisionId: string): Promise<number> };
}

/** A page of the revisions of a group or organization, latest first. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function revisionsOfGroupPage(
  call: Call,
  loaders: Loaders,
  groupId: string,
  args: PageArgs,
): Promise<RevisionPage> {
  const page = keyset(args, ['number', 'number', 'string'], call.settings['catalog.limits.rows']);
  const rows = await loaders.revisionPagesByGroup.load({ id: groupId, page });
  return connection(
    rows,
    page,
    (row) => [row.micros, row.place, row.id],
    () => loaders.revisionCountByGroup.load(groupId),
  );
}

/** A page of the objects that a revision changed or concerns, in order. @throws CatalogError LIMIT, VALIDATION (cursor) */
export async function objectConnection(
  call: Call,
  loaders: Loaders,
  revisionId: string,
  args: PageArgs,
): Promise<ObjectPage> {
  const page = keyset(args, ['number', 'string'], call.settings['catalog.limits.rows']);
  const rows = await loaders.objectPagesByRevision.load({ id: revisionId, page });
  return connection(
    rows,
    page,
    (row) => [row.place, row.name],
    () => loaders.objectCountByRevision.load(revisionId),
  );
}
