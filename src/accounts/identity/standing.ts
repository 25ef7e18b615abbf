/** Whether secrets that callers are known by still count: for streams and waits, which outlast the look at them that a request begins with. */
import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { standing } from './identity.service.ts';

/** Hashes that one statement asks for at most. */
const AT_ONCE = 1_000;

/**
 * A function that makes, for a secret, the question whether it still counts: neither revoked nor expired, and its user active. All that
 * is asked at the same time is one statement, and nothing is kept: an answer is never older than its question.
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
