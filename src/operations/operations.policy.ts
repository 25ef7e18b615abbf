/** Policy of operations. Pure. */
import type { Actor } from '../kernel/call.ts';
import { type CatalogError, notAuthorized } from '../kernel/errors.ts';

/** Null if the caller may see the state of the servers. */
export const mayReadOperations = ({ sysadmin }: Actor): CatalogError | null =>
  sysadmin ? null : notAuthorized('only system administrators may read operations');
