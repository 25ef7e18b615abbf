/** Policy of the statistics: the scopes that a caller may count. Pure. */
import type { Actor } from '../kernel/call.ts';

/** Scopes that facts.sql.ts assigns to objects: everyone, or the only callers (besides sysadmins) who may read them. */
export const PUBLIC = 'public';
/** Everything that is not public. */
const HIDDEN = 'hidden';

/**
 * The scopes of all objects that the caller may read, besides `public`. Each object is in one of them. It equals
 * mayReadDataset: members read active and deleted datasets, editors drafts too, and creators what no organization owns.
 */
export function hiddenScopes({ sysadmin, userId, capacities }: Actor): string[] {
  if (sysadmin) return [HIDDEN];
  const organizations = [...capacities].flatMap(([id, capacity]) =>
    capacity === 'member' ? [`member:${id}`] : [`member:${id}`, `editor:${id}`],
  );
  return userId === null ? organizations : [...organizations, `creator:${userId}`];
}

/** The same with `public`. */
export const scopesOf = (actor: Actor): string[] => [PUBLIC, ...hiddenScopes(actor)];
