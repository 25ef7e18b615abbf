/** Tables that a request has read, for its later operations: pages read the same table twice. */
import type { Call } from '../kernel/call.ts';
import type { Column } from './tables/fields.rules.ts';

/** A table the caller may read. */
export interface ReadableTable {
  readonly resourceId: string;
  readonly columns: readonly Column[];
}

const keyOf = (resourceId: string): string => `table ${resourceId}`;

export const noteTable = ({ request }: Call, table: ReadableTable): void =>
  void request.read?.set(keyOf(table.resourceId), table);

/** Undefined for a table that the request has not read, and for requests that may write. */
export const notedTable = ({ request }: Call, resourceId: string): ReadableTable | undefined =>
  request.read?.get(keyOf(resourceId)) as ReadableTable | undefined;
