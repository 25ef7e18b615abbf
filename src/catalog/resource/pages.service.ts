/** Pages of a dataset's resources, from its document: no statement. */
import type { Call } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import type { DatasetRecord, ResourceBody } from '../document/record.ts';

export type ResourcePage = Connection<ResourceBody>;

/** A page of the resources of a loaded dataset, by position. @throws CatalogError LIMIT, VALIDATION (cursor) */
export function resourceConnection(call: Call, { body }: DatasetRecord, args: PageArgs): ResourcePage {
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  const start = page.after === null ? 0 : Math.max(0, Number(page.after[0]) + 1);
  return connection(
    body.resources.slice(start, start + page.limit + 1),
    page,
    ({ position }) => [position],
    async () => body.resources.length,
  );
}
