/** Continuity of a worker's database contact: only after steady contact can it judge expired leases of other processes. */
import type { Times } from './job.rules.ts';

export interface Contact {
  /** Records a response of the database. */
  answered(): void;
  /** Whether the database has responded for `steady` seconds, without a pause in which leases of living processes expire. */
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
