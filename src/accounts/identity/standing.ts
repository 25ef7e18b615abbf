/** Validity checks of credentials during streams and long waits, which outlast the check at the start of a request. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { standing } from './identity.service.ts';

/** Maximum number of hashes per statement. */
const AT_ONCE = 1_000;

/**
 * Returns a function that makes validity checks for secrets. A valid secret is neither revoked nor expired, and its
 * user is active. Concurrent checks share one statement. Results are not cached, so a result is never older than its
 * check.
 */
export function createStanding(newCall: () => Call): (secret: string) => () => Promise<boolean> {
  const looks = new DataLoader<string, boolean>(
    async (hashes) => {
      const found = await standing(newCall(), [...new Set(hashes)]);
      return hashes.map((hash) => found.has(hash));
    },
    { cache: false, maxBatchSize: AT_ONCE },
  );
  return (secret) => {
    let hash: string | undefined;
    return () => looks.load((hash ??= newCall().secretBox.hash(secret)));
  };
}
