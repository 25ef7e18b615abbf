/** Waits for a condition instead of a fixed time, which would fail on a busy machine. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls `look` until it returns a value, and returns that value. @throws Error with the result of `seen` after so many seconds. This is
 * before the timeout of the test, whose message would not say why.
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
