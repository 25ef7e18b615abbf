/** Ten concurrent writers: what tests of lost updates have in common. */
import type { World } from './world.ts';

export const TEN = Array.from({ length: 10 }, (_, at) => at);

/**
 * Runs ten writers at the same time. It opens ten connections first: a writer whose connection opens late would find the others
 * finished, and the test could not fail.
 */
export async function tenAtOnce<Result>(
  { database }: World,
  write: (at: number) => Promise<Result>,
): Promise<Result[]> {
  await Promise.all(TEN.map(() => database.sql.rows({ text: 'SELECT pg_sleep(0.1)' })));
  return Promise.all(TEN.map(write));
}
