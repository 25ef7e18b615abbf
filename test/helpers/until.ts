/** Waiting for a condition itself: however busy the machine is, a test goes on when what it waits for is so. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks until there is something, and answers it. @throws Error with what is `seen` when there is still nothing after so many seconds:
 * before the test's own time is over, which would say nothing
 */
export async function until<T>(
  look: () => T | Promise<T>,
  seen: () => unknown = look,
  seconds = 120,
): Promise<Exclude<NonNullable<T>, false>> {
  const end = Date.now() + seconds * 1_000;
  for (;;) {
    const found = await look();
    if (found) return found as Exclude<NonNullable<T>, false>;
    if (Date.now() > end)
      throw new Error(`Still not after ${seconds} s: ${look}\nSeen: ${JSON.stringify(await seen(), null, 1)}`);
    await sleep(30);
  }
}
