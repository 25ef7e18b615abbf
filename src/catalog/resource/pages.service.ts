/** Pages of a dataset's resources, from its document: no statement. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, type Keyset, keyset, type PageArgs } from '../../kernel/connection.ts';
import type { DatasetRecord, ResourceBody } from '../document/record.ts';

export type ResourcePage = Connection<ResourceBody>;

/** A page of the resources of a loaded dataset, by position. @throws CatalogError LIMIT, VALIDATION (cursor) */
export function resourceConnection(call: Call, { body }: DatasetRecord, args: PageArgs): ResourcePage {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  return connection(
    read(body.resources, page),
    page,
    ({ position }) => [position],
    async () => body.resources.length,
  );
}

/** One more than the page's limit, in reading order. */
function read(resources: readonly ResourceBody[], { limit, backward, from }: Keyset): ResourceBody[] {
  const all = backward ? resources.toReversed() : resources;
  const rest =
    from === null ? all : all.filter(({ position }) => position > Number(from[0]) !== backward && position !== from[0]);
  return rest.slice(0, limit + 1);
}
