/** Policy of the statistics: the scopes that a caller may count. Pure. */
import type { Actor } from '../kernel/call.ts';

/** The scopes that a caller counts. Each object is in one scope, and in `all`. */
export interface Scopes {
  /** `public`, or `all` for sysadmins. */
  readonly base: 'public' | 'all';
  /** Scopes of hidden objects that the caller may read. */
  readonly hidden: readonly string[];
}

/**
 * It equals mayReadDataset: members read active and deleted datasets of their organizations, editors drafts too, and
 * creators what no organization owns.
 */
export function scopesOf({ sysadmin, userId, capacities }: Actor): Scopes {
  if (sysadmin) return { base: 'all', hidden: [] };
  const hidden = [...capacities].flatMap(([id, capacity]) =>
    capacity === 'member' ? [`member:${id}`] : [`member:${id}`, `editor:${id}`],
  );
  return { base: 'public', hidden: userId === null ? hidden : [...hidden, `creator:${userId}`] };
}

/** The same as one list. */
export function scopeListOf(actor: Actor): string[] {
  const { base, hidden } = scopesOf(actor);
  return [base, ...hidden];
}
