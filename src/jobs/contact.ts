/** How steadily a worker has been in contact with the database: only then do lapsed leases of other processes mean anything. */
import type { Times } from './job.rules.ts';

export interface Contact {
  /** Notes that the database answered. */
  answered(): void;
  /** Whether the database has answered for `steady` seconds, without a silence in which leases of living processes lapse. */
  isSteady(): boolean;
}

export function createContact({ lease, steady }: Times, now = () => performance.now()): Contact {
  let answeredAt = now();
  let since = answeredAt;
  function look(): number {
    const at = now();
    if (at - answeredAt > (lease * 1000) / 2) since = at;
    return at;
  }
  return {
    answered() {
      answeredAt = look();
    },
    isSteady: () => look() - since >= steady * 1000,
  };
}
