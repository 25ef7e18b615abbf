/** Validity checks of credentials during streams and long waits, which outlast the check at the start of a request. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { validSecrets } from './identity.service.ts';

/** Maximum number of hashes per statement. */
const AT_ONCE = 1_000;

/**
 * Returns a function that makes validity checks for secrets. A valid secret is neither revoked nor expired, and its
 * user is active. Concurrent checks share one statement. Results are not cached, so a result is never older than its
 * check.
 */
export function createValidityChecks(newCall: () => Call): (secret: string) => () => Promise<boolean> {
  const checks = new DataLoader<string, boolean>(
    async (hashes) => {
      const found = await validSecrets(newCall(), [...new Set(hashes)]);
      return hashes.map((hash) => found.has(hash));
    },
    { cache: false, maxBatchSize: AT_ONCE },
  );
  return (secret) => {
    let hash: string | undefined;
    return () => checks.load((hash ??= newCall().secrets.secretBox.hash(secret)));
  };
}
